
extension Schema {
    /// Version 2 to 3: who refers to whom, and what is planned for which day. Indexes on what the fields say, so that nothing has to be
    /// kept beside them; a message is in none of them and costs what it did. The raw values of `Kind` stand as numbers because a step
    /// never changes. Alternatives, not `IN`: a list of more than two makes SQLite build a table of it for each row that is written, 1.5 us.
    static let references = """
        CREATE INDEX records_by_school ON records (family, json_extract(CAST(fields AS TEXT), '$.school_id'))
            WHERE (kind = 4 OR kind = 5 OR kind = 8 OR kind = 11) AND deleted_at IS NULL;
        CREATE INDEX records_by_coach ON records (family, json_extract(CAST(fields AS TEXT), '$.coach_id'))
            WHERE kind = 8 AND deleted_at IS NULL;
        CREATE INDEX records_by_event ON records (family, json_extract(CAST(fields AS TEXT), '$.event_id'))
            WHERE (kind = 7 OR kind = 8) AND deleted_at IS NULL;
        CREATE INDEX records_by_trip ON records (family, json_extract(CAST(fields AS TEXT), '$.trip_id'))
            WHERE kind = 10 AND deleted_at IS NULL;
        CREATE INDEX documents_by_replaced ON records (family, json_extract(CAST(fields AS TEXT), '$.replaces')) WHERE kind = 11;
        CREATE INDEX events_by_day ON records (family, json_extract(CAST(fields AS TEXT), '$.start_date'))
            WHERE kind = 5 AND deleted_at IS NULL;
        CREATE INDEX trip_items_by_day ON records (family, json_extract(CAST(fields AS TEXT), '$.start_time'))
            WHERE kind = 10 AND deleted_at IS NULL;
        """
}

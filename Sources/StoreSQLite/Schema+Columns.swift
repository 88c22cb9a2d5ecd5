
extension Schema {
    /// Version 10 to 11: the values by which records are found stand in columns that the program fills (`RecordColumn`). Until now expression
    /// indexes parsed the JSON of both versions of each row that was written. Every index begins with the family and names no row number.
    ///
    /// A row whose fields are damaged keeps empty columns; `huddled check` reports it either way.
    static let columns = """
        DROP INDEX records_by_school;
        DROP INDEX records_by_coach;
        DROP INDEX records_by_event;
        DROP INDEX records_by_trip;
        DROP INDEX documents_by_replaced;
        DROP INDEX events_by_day;
        DROP INDEX trip_items_by_day;

        -- Ids as in the fields, like `about`. `start` is the local day of an event, and the local time of a trip item.
        ALTER TABLE records ADD COLUMN school TEXT;
        ALTER TABLE records ADD COLUMN coach TEXT;
        ALTER TABLE records ADD COLUMN event TEXT;
        ALTER TABLE records ADD COLUMN trip TEXT;
        ALTER TABLE records ADD COLUMN replaces TEXT;
        ALTER TABLE records ADD COLUMN start TEXT;
        UPDATE records SET
            school = CASE WHEN kind IN (4, 5, 8, 11) THEN CAST(fields AS TEXT) ->> '$.school_id' END,
            coach = CASE WHEN kind = 8 THEN CAST(fields AS TEXT) ->> '$.coach_id' END,
            event = CASE WHEN kind IN (7, 8) THEN CAST(fields AS TEXT) ->> '$.event_id' END,
            trip = CASE WHEN kind = 10 THEN CAST(fields AS TEXT) ->> '$.trip_id' END,
            replaces = CASE WHEN kind = 11 THEN CAST(fields AS TEXT) ->> '$.replaces' END,
            start = CASE kind WHEN 5 THEN CAST(fields AS TEXT) ->> '$.start_date' WHEN 10 THEN CAST(fields AS TEXT) ->> '$.start_time' END
        WHERE kind IN (4, 5, 7, 8, 10, 11) AND json_valid(CAST(fields AS TEXT));

        CREATE INDEX records_by_school ON records (family, school) WHERE school IS NOT NULL AND deleted_at IS NULL;
        CREATE INDEX records_by_coach ON records (family, coach) WHERE coach IS NOT NULL AND deleted_at IS NULL;
        CREATE INDEX records_by_event ON records (family, event) WHERE event IS NOT NULL AND deleted_at IS NULL;
        CREATE INDEX records_by_trip ON records (family, trip) WHERE trip IS NOT NULL AND deleted_at IS NULL;
        CREATE INDEX records_by_replaced ON records (family, replaces) WHERE replaces IS NOT NULL;
        CREATE INDEX records_by_start ON records (family, kind, start, id) WHERE start IS NOT NULL AND deleted_at IS NULL;
        """
}

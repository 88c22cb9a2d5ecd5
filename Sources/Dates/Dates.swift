// Calendar dates, local times and time zones (RFC 9636) as values; no clock, no files.

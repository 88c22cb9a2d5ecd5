// What a family shares: kinds, records, rules, permissions, mutations and changes. Pure.

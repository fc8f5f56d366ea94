//! The search of Lines of Action, for pages.

ataxxd_websearch::module!(ataxxd_rules::loa::Loa);

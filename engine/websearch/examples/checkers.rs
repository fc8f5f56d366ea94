//! The search of checkers, for pages.

ataxxd_websearch::module!(ataxxd_rules::checkers::Checkers);

//! The search of Ataxx, for pages.

ataxxd_websearch::module!(ataxxd_rules::ataxx::Ataxx);

//! The search of reversi, for pages.

ataxxd_websearch::module!(ataxxd_rules::reversi::Reversi);

//! libFuzzer over `ataxxd_fuzz::positions`; see there for the law.
#![no_main]
#![allow(missing_docs)]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ataxxd_fuzz::positions(data));

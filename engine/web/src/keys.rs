//! Keys, signatures and digests, as section 2 of the protocol demands them.

use ed25519_dalek::{Signature, Signer, SigningKey, Verifier, VerifyingKey};
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};

/// Bytes as an array of the length that is wanted.
pub fn array<const N: usize>(bytes: &[u8]) -> Result<[u8; N], String> {
    bytes
        .try_into()
        .map_err(|_| format!("{N} bytes are needed, not {}.", bytes.len()))
}

/// SHA-256 of `data`.
pub fn sha256(data: &[u8]) -> [u8; 32] {
    Sha256::digest(data).into()
}

/// HMAC-SHA256 of `data`.
pub fn hmac_sha256(key: &[u8], data: &[u8]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length will do");
    mac.update(data);
    mac.finalize().into_bytes().into()
}

/// The Ed25519 public key of a seed.
pub fn public_key(seed: &[u8; 32]) -> [u8; 32] {
    SigningKey::from_bytes(seed).verifying_key().to_bytes()
}

/// The signature of RFC 8032 over `data`; the same for the same seed and data.
pub fn sign(seed: &[u8; 32], data: &[u8]) -> [u8; 64] {
    SigningKey::from_bytes(seed).sign(data).to_bytes()
}

/// Whether a signature holds by the equation without the cofactor (MP-SIGN-5), under a key that
/// is not of small order (MP-SIGN-3).
///
/// Not the library's `verify_strict`: it also refuses signatures whose first half is a point of
/// small order, which the protocol, OpenSSL and libsodium's equation take.
pub fn verify(key: &[u8; 32], signature: &[u8; 64], data: &[u8]) -> bool {
    VerifyingKey::from_bytes(key).is_ok_and(|key| {
        !key.is_weak() && key.verify(data, &Signature::from_bytes(signature)).is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_holds_for_what_was_signed_alone() {
        let seed = [7; 32];
        let key = public_key(&seed);
        let signature = sign(&seed, b"e4");
        assert!(verify(&key, &signature, b"e4"));
        assert!(!verify(&key, &signature, b"e5"));
    }

    #[test]
    fn a_key_of_small_order_proves_nothing() {
        let mut identity = [0; 32];
        identity[0] = 1;
        let mut signature = [0; 64];
        signature[0] = 1;
        assert!(!verify(&identity, &signature, b"anything"));
    }
}

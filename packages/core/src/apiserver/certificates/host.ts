/**
 * Keys, signatures and X.509, which core leaves to its host. Without one, certificate signing requests are kept and
 * can be approved, but nothing signs them, as in a cluster whose controller manager has no CA.
 */
export interface CertificateHost {
  /** Reads a request and checks that its own key signed it. Throws an Error that says what is wrong with it. */
  readRequest(pem: string): RequestedCertificate;
  /** Throws an Error if the text has something else than certificates in it. */
  checkCertificates(pem: string): void;
  /** The certificate (PEM). Throws an Error if the authority cannot sign it. */
  sign(pem: string, policy: SigningPolicy): string;
}

/** The contents of a certificate request. upstream: crypto/x509.CertificateRequest */
export interface RequestedCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
}

/** The terms of a signature; times in milliseconds since 1970. upstream: authority.PermissiveSigningPolicy */
export interface SigningPolicy {
  readonly notBefore: number;
  /** The host takes the end of its authority's certificate if that is sooner. */
  readonly notAfter: number;
  /** Written as the API names them: `digital signature`, `client auth`. */
  readonly usages: readonly string[];
}

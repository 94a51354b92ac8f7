/** The host's part of certificates: keys, requests and X.509, which the kubelet's core does not compute itself. */

/** The contents of a certificate, as far as the kubelet reads them. Times in milliseconds since 1970. */
export interface CertificateFacts {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  /** In the one form that {@link CertificateCrypto.canonicalIP} gives. */
  readonly ipAddresses: readonly string[];
  readonly notBeforeMillis: number;
  readonly notAfterMillis: number;
}

/** The contents of a certificate to ask for. upstream: crypto/x509 CertificateRequest */
export interface CertificateTemplate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
}

/** A certificate with its key. upstream: tls.Certificate */
export interface KeyPair {
  /** The certificate, and after it those of authorities between it and the root. */
  readonly certPem: string;
  readonly keyPem: string;
  /** The contents of the first certificate. */
  readonly leaf: CertificateFacts;
}

/** Keys, requests and certificates. Texts are PEM; every function throws an Error that says what is wrong with one. */
export interface CertificateCrypto {
  /** Returns a new key on the curve P-256. upstream: ecdsa.GenerateKey */
  generateKey(): string;
  /** Returns the public half of a private key: a SubjectPublicKeyInfo in DER. */
  publicKey(keyPem: string): Uint8Array;
  isRSA(keyPem: string): boolean;
  /** A request, signed with the key. upstream: cert.MakeCSRFromTemplate */
  createRequest(keyPem: string, template: CertificateTemplate): string;
  /** Returns the subject of a request, and true in `signed` if the key signed it. */
  parseRequest(csrPem: string, keyPem: string): { readonly subject: string; readonly signed: boolean };
  /** Returns all certificates of a text, at least one. upstream: cert.ParseCertsPEM */
  parseCertificates(pem: string): readonly (CertificateFacts & { readonly pem: string })[];
  /**
   * The certificates and the key of a text, which may hold both, when they belong together.
   * upstream: tls.X509KeyPair
   */
  keyPair(certPem: string, keyPem: string): KeyPair;
  /** An address in its canonical form, so that two texts of one address are equal; null if it is not an address. */
  canonicalIP(text: string): string | null;
  sha512_256(data: Uint8Array): Uint8Array;
}

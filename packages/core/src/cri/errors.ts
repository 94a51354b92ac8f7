/**
 * Errors of CRI calls: gRPC status codes under the names that grpc-go prints, since the kubelet's
 * logs, Events and container statuses carry that text.
 */

/**
 * gRPC status codes.
 *
 * upstream: google.golang.org/grpc/codes
 */
export const GrpcCode = {
  OK: 0,
  Canceled: 1,
  Unknown: 2,
  InvalidArgument: 3,
  DeadlineExceeded: 4,
  NotFound: 5,
  AlreadyExists: 6,
  PermissionDenied: 7,
  ResourceExhausted: 8,
  FailedPrecondition: 9,
  Aborted: 10,
  OutOfRange: 11,
  Unimplemented: 12,
  Internal: 13,
  Unavailable: 14,
  DataLoss: 15,
  Unauthenticated: 16,
} as const;

/** Name of a gRPC status code, as grpc-go prints it. */
export type GrpcCodeName = keyof typeof GrpcCode;

const codeNames = new Map<number, GrpcCodeName>(
  (Object.entries(GrpcCode) as [GrpcCodeName, number][]).map(([name, code]) => [code, name]),
);

/** Returns the name of a code: `NotFound` for 5; `Code(99)` for a number that gRPC does not define. */
export function grpcCodeName(code: number): string {
  return codeNames.get(code) ?? `Code(${code})`;
}

/** Further fields of a {@link CRIError} besides its code and text. */
export interface CRIErrorOptions extends ErrorOptions {
  /** Method that failed, as in `rpcs`: `runPodSandbox`. */
  method?: string;
  /**
   * True for an error that the client side made, such as a failed check of an answer. Its message
   * is the bare text, without grpc-go's prefix.
   */
  local?: boolean;
}

/**
 * A failed CRI call. `message` reads as grpc-go's:
 * `rpc error: code = NotFound desc = an error occurred when try to find sandbox: not found`.
 *
 * upstream: google.golang.org/grpc/internal/status (*Error).Error
 */
export class CRIError extends Error {
  override readonly name = 'CRIError';
  /** gRPC status code, one of {@link GrpcCode}. */
  readonly code: number;
  /** The status' message: what the runtime said, without prefix. */
  readonly details: string;
  /** Method that failed, as in `rpcs`, where known. */
  readonly method?: string;

  constructor(code: number, details: string, options: CRIErrorOptions = {}) {
    const { method, local, ...rest } = options;
    super(local ? details : `rpc error: code = ${grpcCodeName(code)} desc = ${details}`, rest);
    this.code = code;
    this.details = details;
    if (method !== undefined) this.method = method;
  }
}

/**
 * The gRPC code of any error: Unknown if it is no {@link CRIError}.
 *
 * upstream: google.golang.org/grpc/status.Code
 */
export function errorCode(err: unknown): number {
  return err instanceof CRIError ? err.code : GrpcCode.Unknown;
}

/**
 * Returns true if a CRI call failed because its sandbox, container or image does not exist.
 *
 * upstream: staging/src/k8s.io/cri-api/pkg/errors.IsNotFound
 */
export function isNotFound(err: unknown): boolean {
  return errorCode(err) === GrpcCode.NotFound;
}

/** Returns true if a CRI call failed because the runtime does not have the method. */
export function isUnimplemented(err: unknown): boolean {
  return errorCode(err) === GrpcCode.Unimplemented;
}

/** Returns true if a CRI call ran into its deadline, here or in the runtime. */
export function isDeadlineExceeded(err: unknown): boolean {
  return errorCode(err) === GrpcCode.DeadlineExceeded;
}

/**
 * Returns a `Status` of the API server's own front, for requests that never reach its resources. upstream:
 * metav1.Status
 */
export function statusBody(code: number, reason: string, message: string, retryAfterSeconds?: number): string {
  return `${JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason !== '' && { reason }),
    ...(retryAfterSeconds !== undefined && { details: { retryAfterSeconds } }),
    code,
  })}\n`;
}

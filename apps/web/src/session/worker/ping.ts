/** The page's question whether the worker still reacts, and its answer: sent at once, whatever else waits. */
export const PING = { type: 'ping' } as const;
export const PONG = { type: 'pong' } as const;

const is = (message: unknown, { type }: { readonly type: string }): boolean =>
  (message as { readonly type?: unknown } | null)?.type === type;
export const isPing = (message: unknown): boolean => is(message, PING);
export const isPong = (message: unknown): boolean => is(message, PONG);

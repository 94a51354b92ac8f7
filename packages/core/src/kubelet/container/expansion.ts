import { CRIError, GrpcCode } from '../../cri/index.js';

/** Largest request that a runtime's server takes, bytes. upstream (containerd): defaults.DefaultMaxRecvMsgSize */
export const maxRequestSize = 16 << 20;
/** Largest message that a client sends at all. upstream: google.golang.org/grpc defaultClientMaxSendMessageSize */
const maxSendSize = 2 ** 31 - 1;

/**
 * A request would be larger than the runtime takes: the error that its server (or the client, beyond 2 GiB) would
 * answer with. Upstream builds the request first; here its size is counted before, for a few variables that double one
 * another are enough to fill any memory.
 */
export class RequestTooLarge extends CRIError {
  constructor(size: number) {
    const n = Math.min(size, Number.MAX_SAFE_INTEGER);
    super(
      GrpcCode.ResourceExhausted,
      n > maxSendSize
        ? `trying to send message larger than max (${n} vs. ${maxSendSize})`
        : `grpc: received message larger than max (${n} vs. ${maxRequestSize})`,
    );
  }
}

/** An expanded text, or how long it would be: `text` is null if it was not built because it is longer than allowed. */
export interface Expanded {
  readonly text: string | null;
  readonly length: number;
}

/** A text without variables. */
export const plain = (text: string): Expanded => ({ text, length: text.length });

/**
 * Replaces `$(NAME)` by what `mapping` returns; `$$` is one dollar sign, so `$$(NAME)` stays `$(NAME)`. A reference
 * that `mapping` does not know stays as it is. Builds no text of more than `limit` characters.
 * upstream: third_party/forked/golang/expansion Expand
 */
export function expandWithin(input: string, mapping: (name: string) => Expanded | undefined, limit: number): Expanded {
  let dollar = input.indexOf('$');
  if (dollar < 0) return { text: input.length <= limit ? input : null, length: input.length };
  let pieces: string[] | null = [];
  let length = 0;
  const add = (piece: Expanded) => {
    length += piece.length;
    if (length > limit || piece.text === null) pieces = null;
    pieces?.push(piece.text as string);
  };
  /** Behind the last closing bracket nothing is a reference. */
  const lastEnd = input.lastIndexOf(')');
  let from = 0;
  for (; dollar >= 0 && dollar + 1 < input.length; dollar = input.indexOf('$', from)) {
    if (dollar > from) add(plain(input.slice(from, dollar)));
    const next = input[dollar + 1] as string;
    from = dollar + 2;
    if (next === '$') add(plain('$'));
    else if (next !== '(' || from > lastEnd) add(plain(`$${next}`));
    else {
      const end = input.indexOf(')', from);
      const name = input.slice(from, end);
      add(mapping(name) ?? plain(`$(${name})`));
      from = end + 1;
    }
  }
  if (from < input.length) add(plain(input.slice(from)));
  return { text: pieces === null ? null : (pieces as string[]).join(''), length };
}

/**
 * Expands a text like `expandWithin`; throws RequestTooLarge if the result has no place in a request to the runtime.
 */
export function expand(input: string, mapping: (name: string) => string | undefined): string {
  const { text, length } = expandWithin(
    input,
    (name) => {
      const value = mapping(name);
      return value === undefined ? undefined : plain(value);
    },
    maxRequestSize,
  );
  if (text === null) throw new RequestTooLarge(length);
  return text;
}

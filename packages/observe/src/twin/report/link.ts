/** The content of a link to a moment of the twin: the same as in the page's own links (docs/users/sharing.md). */
import { base64urlEncode, utf8Bytes } from '@syncloop/core/base';
import type { Seq } from '@syncloop/core/trace';

export interface TwinPlace {
  readonly name: string;
  /** The scenario's text, with its section `run` if there is one. */
  readonly text: string;
  /** The record to open, and a decision that is not after it. */
  readonly seq: Seq;
  readonly step: number;
  readonly lang: 'en' | 'zh';
}

/** Deflates bytes without a header (RFC 1951). */
export type Deflate = (bytes: Uint8Array) => Uint8Array;

/** The fragment of the page's address without its `#`. */
export function twinFragment(place: TwinPlace, deflate?: Deflate): string {
  const { name, text, seq, step, lang } = place;
  const bytes = utf8Bytes(
    JSON.stringify({
      s: name,
      t: text,
      p: [step, seq],
      l: lang === 'zh' ? 'zh-CN' : 'en',
    }),
  );
  const plain = `j${base64urlEncode(bytes)}`;
  const deflated = deflate ? `z${base64urlEncode(deflate(bytes))}` : plain;
  return `run=v2.${deflated.length < plain.length ? deflated : plain}`;
}

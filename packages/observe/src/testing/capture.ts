/** A capture of a real kubelet, from testdata/attach. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

export const CAPTURE = 'v1.36-v4-calls/single-pod-lifecycle';
/** The bytes of one of its files, without `.gz`. */
export const captured = (file: string, capture = CAPTURE): Uint8Array =>
  gunzipSync(readFileSync(new URL(`../../../core/testdata/attach/${capture}/${file}.gz`, import.meta.url)));
/** When it began, milliseconds since 1970. */
export const startedMillis = (capture = CAPTURE): number =>
  Date.parse(
    (
      JSON.parse(
        readFileSync(new URL(`../../../core/testdata/attach/${capture}/about.json`, import.meta.url), 'utf8'),
      ) as {
        startedAt: string;
      }
    ).startedAt,
  );

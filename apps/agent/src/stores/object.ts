import { basename } from 'node:path';
import { SetupError } from '../base/errors.js';
import { Attempts, bytesOf, opened, StoreError, type StoreOptions, shown } from './http.js';
import type { LogPage, LogSource } from './log-source.js';

export interface ObjectOptions extends StoreOptions {
  readonly urls: readonly URL[];
}

/** How far the download of a file has come. */
interface Progress {
  got: number;
  /** The file's version, as the server names it. */
  tag: string | undefined;
  ended: boolean;
}

/** Reads files behind URLs, such as objects of S3, one after the other. A download that is cut goes on where it was. */
export class ObjectStorage implements LogSource {
  constructor(private readonly options: ObjectOptions) {}

  async *pages(): AsyncGenerator<LogPage> {
    for (const url of this.options.urls) {
      const progress: Progress = { got: 0, tag: undefined, ended: false };
      const attempts = new Attempts(url, this.options);
      while (!progress.ended) {
        const before = progress.got;
        try {
          yield* this.rest(url, progress);
        } catch (error) {
          // A server that gives some more each time is worth as many attempts as it takes.
          if (progress.got > before) attempts.renew();
          await attempts.after(error);
        }
      }
    }
  }

  /** The bytes from where the last attempt ended. */
  private async *rest(url: URL, progress: Progress): AsyncGenerator<LogPage> {
    const { got, tag } = progress;
    const headers = got === 0 ? {} : { range: `bytes=${got}-`, ...(tag !== undefined && { 'if-range': tag }) };
    const response = await opened({ url, headers }, this.options).catch((error: Error) => {
      if (!(error instanceof StoreError)) throw error;
      if (error.status === 416 && got > 0)
        throw new SetupError(`${shown(url)} became shorter while it was read: fetch it again`);
      if (error.status === 403)
        throw new SetupError(`${error.message}; a presigned address may have expired: make a new one`);
      throw error;
    });
    // Another status than 206 has the whole file, perhaps another one.
    let anew = got > 0 && response.statusCode !== 206;
    if (anew) progress.got = 0;
    const range = /^bytes (\d+)-/.exec(response.headers['content-range'] ?? '')?.[1];
    if (got > 0 && !anew && Number(range) !== got) {
      response.destroy();
      throw new SetupError(`${shown(url)} answers with other bytes than it was asked for: fetch it again`);
    }
    progress.tag = response.headers.etag ?? response.headers['last-modified'];
    for await (const bytes of bytesOf(response, url)) {
      progress.got += bytes.length;
      yield { pieces: [{ node: nameOf(url), bytes, ...(anew && { anew }) }], until: null };
      anew = false;
    }
    progress.ended = true;
  }
}

function nameOf(url: URL): string {
  const last = basename(url.pathname);
  try {
    return decodeURIComponent(last) || url.hostname;
  } catch {
    return last;
  }
}

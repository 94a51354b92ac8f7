/** Writes ustar archives, as far as an image needs them. */

/** One member of an archive; a file unless `dir` or `link` is set. Names are relative and at most 100 bytes. */
export interface TarEntry {
  readonly name: string;
  readonly data?: Buffer;
  readonly dir?: boolean;
  /** Target of a symbolic link. */
  readonly link?: string;
  readonly mode?: number;
}

const block = 512;

/** The archive's bytes. Times and owners are zero, so that the same entries give the same bytes. */
export function tar(entries: readonly TarEntry[]): Buffer {
  const parts = entries.flatMap((entry) => {
    const data = entry.data ?? Buffer.alloc(0);
    return [header(entry, data.length), data, Buffer.alloc((block - (data.length % block)) % block)];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * block)]);
}

function header(entry: TarEntry, size: number): Buffer {
  const out = Buffer.alloc(block);
  const name = entry.dir ? `${entry.name}/` : entry.name;
  if (Buffer.byteLength(name) > 100) throw new RangeError(`tar: name is longer than 100 bytes: ${name}`);
  const octal = (value: number, at: number, width: number) =>
    out.write(`${value.toString(8).padStart(width - 1, '0')}\0`, at);
  out.write(name, 0);
  octal(entry.mode ?? (entry.dir ? 0o755 : entry.link ? 0o777 : 0o644), 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  out.write(entry.dir ? '5' : entry.link ? '2' : '0', 156);
  if (entry.link) out.write(entry.link, 157);
  out.write('ustar\x0000', 257);
  // The checksum is the sum of all bytes of the header, its own field read as blanks.
  out.fill(' ', 148, 156);
  out.write(
    `${out
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  );
  return out;
}

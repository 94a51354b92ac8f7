/**
 * A TrueType font in which every character is the same box, so that pictures of the page do not depend on the fonts of
 * a machine: lines break at the same words and are as high everywhere. Made here, for a file of bytes would explain
 * nothing.
 */

const EM = 1000;
const ASCENT = 950;
const DESCENT = 250;
/** Width of every character, and the box in it: from the base line to about a small letter's height. */
const WIDTH = 540;
const BOX = { left: 60, right: 480, bottom: 0, top: 560 };

/**
 * Glyphs: 0 for missing characters, 1 the box, 2 nothing. Ranges of characters and their glyph, a cmap of format 13.
 */
const RANGES = [
  [0x0, 0x20, 2],
  [0x21, 0x9f, 1],
  [0xa0, 0xa0, 2],
  [0xa1, 0x1fff, 1],
  [0x2000, 0x200f, 2],
  [0x2010, 0xd7ff, 1],
  [0xe000, 0x10ffff, 1],
];

const u16 = (...values) => {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((v, i) => void bytes.writeUInt16BE(v & 0xffff, i * 2));
  return bytes;
};
const u32 = (...values) => {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((v, i) => void bytes.writeUInt32BE(v >>> 0, i * 4));
  return bytes;
};
const pad = (bytes) => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
const checksum = (bytes) => {
  const padded = pad(bytes);
  let sum = 0;
  for (let i = 0; i < padded.length; i += 4) sum = (sum + padded.readUInt32BE(i)) >>> 0;
  return sum;
};

function box() {
  const { left, right, bottom, top } = BOX;
  return pad(
    Buffer.concat([
      u16(1, left, bottom, right, top, 3, 0),
      // Four points on the line, as words: right and up from the one before.
      Buffer.from([1, 1, 1, 1]),
      u16(left, 0, right - left, 0),
      u16(bottom, top - bottom, 0, bottom - top),
    ]),
  );
}

function characters() {
  const groups = Buffer.concat(RANGES.map(([from, to, glyph]) => u32(from, to, glyph)));
  const header = Buffer.concat([u16(13, 0), u32(16 + groups.length, 0, RANGES.length)]);
  return Buffer.concat([u16(0, 1), u16(3, 10), u32(12), header, groups]);
}

function names() {
  const texts = [
    [1, 'Boxes'],
    [2, 'Regular'],
    [4, 'Boxes'],
    [6, 'Boxes'],
  ].map(([id, text]) => ({ id, bytes: u16(...[...text].map((c) => c.charCodeAt(0))) }));
  let offset = 0;
  const rows = texts.map(({ id, bytes }) => {
    const row = u16(3, 1, 0x409, id, bytes.length, offset);
    offset += bytes.length;
    return row;
  });
  return Buffer.concat([u16(0, texts.length, 6 + 12 * texts.length), ...rows, ...texts.map((t) => t.bytes)]);
}

/** The font's bytes. */
export function boxesFont() {
  const glyph = box();
  const os2 = Buffer.concat([
    u16(4, WIDTH, 400, 5, 0, 650, 600, 0, 75, 650, 600, 0, 350, 50, 300, 0),
    Buffer.alloc(10),
    u32(1, 0, 0, 0),
    Buffer.from('NONE'),
    u16(0x40, 0x20, 0xffff, ASCENT, -DESCENT, 0, ASCENT, DESCENT),
    u32(1, 0),
    u16(BOX.top, BOX.top, 0, 0x20, 2),
  ]);
  const tables = {
    'OS/2': os2,
    cmap: characters(),
    glyf: Buffer.concat([glyph, glyph]),
    head: Buffer.concat([
      u32(0x10000, 0x10000, 0, 0x5f0f3cf5),
      u16(0x3, EM),
      Buffer.alloc(16),
      u16(BOX.left, BOX.bottom, BOX.right, BOX.top, 0, 8, 2, 1, 0),
    ]),
    hhea: Buffer.concat([
      u32(0x10000),
      u16(ASCENT, -DESCENT, 0, WIDTH, BOX.left, WIDTH - BOX.right, BOX.right, 1, 0, 0, 0, 0, 0, 0, 0, 3),
    ]),
    hmtx: u16(WIDTH, BOX.left, WIDTH, BOX.left, WIDTH, 0),
    loca: u32(0, glyph.length, 2 * glyph.length, 2 * glyph.length),
    maxp: Buffer.concat([u32(0x10000), u16(3, 4, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)]),
    name: names(),
    post: Buffer.concat([u32(0x30000, 0), u16(-100, 50), u32(1, 0, 0, 0, 0)]),
  };
  const entries = Object.entries(tables);
  let offset = 12 + 16 * entries.length;
  const directory = [u32(0x10000), u16(entries.length, 128, 3, entries.length * 16 - 128)];
  const bodies = [];
  for (const [tag, bytes] of entries) {
    directory.push(Buffer.from(tag), u32(checksum(bytes), offset, bytes.length));
    bodies.push(pad(bytes));
    offset += pad(bytes).length;
  }
  return Buffer.concat([...directory, ...bodies]);
}

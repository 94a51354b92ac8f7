import { describe, expect, it } from 'vitest';
import { longComments } from './lines.mjs';

const long = 'word '.repeat(25);

describe('comments', () => {
  it('that go beyond the last column are named, in every form', () => {
    expect(longComments('a.ts', `// ${long}\nconst a = 1;\n/** ${long}*/\n/*\n * ${long}\n */`)).toEqual([1, 3, 5]);
    expect(longComments('a.ts', `const a = 1; // ${long}`)).toEqual([1]);
    expect(longComments('a.css', `/* ${long} */\n.a { color: red; }`)).toEqual([1]);
  });
  it('may be as wide as the page', () => {
    expect(longComments('a.ts', `// ${'x'.repeat(117)}`)).toEqual([]);
    expect(longComments('a.ts', `// ${'x'.repeat(118)}`)).toEqual([1]);
  });
  it('with an address may be longer; code and strings are not their business', () => {
    expect(longComments('a.ts', `// https://example.org/${'x'.repeat(120)}`)).toEqual([]);
    expect(longComments('a.ts', `const a = '// ${long}';`)).toEqual([]);
    expect(longComments('a.css', `.a { background: url(//${'x'.repeat(120)}); }`)).toEqual([]);
  });
});

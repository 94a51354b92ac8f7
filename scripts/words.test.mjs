import { describe, expect, it } from 'vitest';
import { replacedWords, wordViolations } from './words.mjs';

const GLOSSARY = `## How

| A | B | C |
| --- | --- | --- |
| x | y | z |

## Words

| Term | What it means | Instead of |
| --- | --- | --- |
| run | One execution. | |
| extractor | Reads evidence. | witness, witnesses |
| compare | Two runs. | held against |

## Next

| q | r | s |
`;

describe('the glossary', () => {
  it('gives the words that it replaces, of its own section alone', () => {
    expect(replacedWords(GLOSSARY)).toEqual([
      ['witness', 'extractor'],
      ['witnesses', 'extractor'],
      ['held against', 'compare'],
    ]);
  });
});

describe('plain words', () => {
  const lines = (text) => wordViolations(text, replacedWords(GLOSSARY)).map(({ line }) => line);

  it('finds a replaced word in comments, strings and names, at its line', () => {
    expect(lines("const a = 1;\n// A Witness said so.\nthrow new Error('held against it');")).toEqual([2, 3]);
    expect(lines('const { witness } = run;')).toEqual([1]);
  });
  it('leaves longer words and paths alone', () => {
    expect(lines("import a from './witness-box.js';\nconst eyewitness = 1;")).toEqual([]);
  });
  it('finds comments that begin with Of, Where, What or Whether, and leaves questions and later lines alone', () => {
    expect(
      lines('/** Of a pod. */\n/** What it is. */\n// Where is it?\n/**\n * A folder.\n * Where none is, ...\n */'),
    ).toEqual([1, 2]);
  });
  it('finds a condition that is written as a place, and "is no path", in comments alone', () => {
    expect(
      lines('/** Null where there is none. */\n/** Null if there is none. */\n/** Throws an Error where it is. */'),
    ).toEqual([1, 3]);
    expect(
      lines('// It says what is no path.\n// It says what is no longer there.\nconst a = "what is no path";'),
    ).toEqual([1]);
  });
  it('finds "is no path", "anew" and word order of another language, in comments alone', () => {
    expect(
      lines('// A cache is no store.\n// There is no store.\n// It is no longer there.\nf("a is no store");'),
    ).toEqual([1]);
    expect(lines('// Opened anew.\nanew();\n// Calls `anew`.')).toEqual([1]);
    expect(lines('// An older one does otherwise.\n// Older otherwise than new.\n// It would otherwise wait.')).toEqual(
      [1, 2],
    );
    expect(lines('// The rule in force.\n// It takes it back.\nconst a = "in force";')).toEqual([1, 2]);
  });
});

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
  it('finds comments that begin with Of or Where, and leaves questions and later lines alone', () => {
    expect(
      lines('/** Of a pod. */\n/** Where it is. */\n// Where is it?\n/**\n * A folder.\n * Where none is, ...\n */'),
    ).toEqual([1, 2]);
  });
});

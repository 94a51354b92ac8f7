import { describe, expect, it } from 'vitest';
import { parseReference, referenceProblem } from './reference.js';

describe('image references', () => {
  it('are completed as docker completes them', () => {
    for (const [text, full] of [
      ['nginx', 'docker.io/library/nginx:latest'],
      ['team/app:2', 'docker.io/team/app:2'],
      ['index.docker.io/team/app', 'docker.io/team/app:latest'],
      ['localhost/app:dev', 'localhost/app:dev'],
      ['reg.example.com:5000/a/b', 'reg.example.com:5000/a/b:latest'],
    ] as const)
      expect(parseReference(text)?.full).toBe(full);
  });

  it('that are none are told in the words of the reference library: the name goes up to its first colon', () => {
    const lower = (name: string) => `invalid reference format: repository name (${name}) must be lowercase`;
    for (const [text, problem] of [
      ['UPPER', lower('library/UPPER')],
      ['UPPER/case:1', lower('UPPER/case')],
      ['reg.example.com:5000/Team/app:1', lower('Team/app')],
      ['app@SHA256:abc', lower('library/app@SHA256')],
      ['a b', 'invalid reference format'],
      ['app:TAG+', 'invalid reference format'],
    ] as const) {
      expect(parseReference(text), text).toBeNull();
      expect(referenceProblem(text)).toBe(problem);
    }
  });
});

import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useUI } from '../../page/ui-store.js';
import { register } from '../registry.js';
import { openFile, openFiles } from './open-file.js';

const opened: string[] = [];
const said: string[] = [];
const manifest = (name: string) => new File(['apiVersion: v1\nkind: Pod\n'], name);
const log = (name: string) => new File(['I1121 10:00:00.000000       1 kubelet.go:1] "Starting"\n'], name);
const recording = (name: string) => new File(['SLR\n'], name);

describe('opening files of any kind', () => {
  beforeAll(() =>
    register({
      importers: [
        { takes: (kind) => kind === 'manifest', open: async (_, name) => opened.push(`manifest ${name}`) },
        { takes: (kind) => kind === 'text', open: async () => false },
        {
          takes: (kind) => kind === 'log',
          open: async (_, name) => opened.push(`log ${name}`),
          together: async (files) => {
            opened.push(`together ${files.length}`);
          },
        },
      ],
    }),
  );
  beforeEach(() => {
    opened.length = 0;
    said.length = 0;
    useUI.setState({ notice: null });
    return useUI.subscribe(({ notice }, before) => {
      if (notice && notice !== before.notice) said.push(notice.text);
    });
  });

  it('says what it recognised, and no longer once it is open', async () => {
    await openFile(log('kubelet.log'));
    expect(said).toEqual(['Opening kubelet.log: a log.']);
    expect(opened).toEqual(['log kubelet.log']);
    expect(useUI.getState().notice).toBeNull();
  });
  it('opens several manifests each for itself, and other files as one story', async () => {
    await openFiles([manifest('a.yaml'), manifest('b.yaml')]);
    await openFiles([log('a.log'), log('b.log'), manifest('c.yaml')]);
    expect(opened).toEqual(['manifest a.yaml', 'manifest b.yaml', 'together 3']);
    expect(said.at(-1)).toBe('Opening 3 files as one story: a log (2 files), a Kubernetes manifest.');
  });
  it('says of others what they looked like, and what is accepted', async () => {
    await expect(openFile(new File(['%PDF-1.7'], 'a.pdf'))).rejects.toThrow(
      /^a\.pdf is a file of another program\. The page opens a kubelet's log, a support bundle/,
    );
    await expect(openFile(new File(['hello'], 'a.txt'))).rejects.toThrow(
      /^a\.txt is text, but no line of it comes from a kubelet\. The page opens/,
    );
    await expect(openFiles([recording('a'), recording('b')])).rejects.toThrow(
      'The page shows one of these at a time: a recording of syncloop (2 files). Open one of them.',
    );
    expect(opened).toEqual([]);
  });
});

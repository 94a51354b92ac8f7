import { describe, expect, it } from 'vitest';
import { embedOptions, embedUrl, pageUrl, SIZES, snippet } from './embed-options.js';

describe('a frame', () => {
  it('has its options in its address, and does without those that it does not know', () => {
    expect(embedOptions('?embed=1')).toEqual({ level: null, controls: 'steps', theme: 'system' });
    expect(embedOptions('?embed=1&level=loop&controls=none&theme=dark')).toEqual({
      level: 'loop',
      controls: 'none',
      theme: 'dark',
    });
    expect(embedOptions('?level=toString&controls=&theme=system')).toEqual({
      level: null,
      controls: 'steps',
      theme: 'system',
    });
    const options = { level: 'story', controls: 'all', theme: 'light' } as const;
    const url = embedUrl('https://x.example/a/?testing=1&token=7#run=v2.jabc', options);
    expect(url).toBe('https://x.example/a/?embed=1&level=story&controls=all&theme=light#run=v2.jabc');
    expect(embedOptions(new URL(url).search)).toEqual(options);
    expect(pageUrl(url, 'run=v2.jxyz')).toBe('https://x.example/a/#run=v2.jxyz');
  });

  it('is put into an article by an element that nothing breaks out of', () => {
    expect(snippet('https://x.example/?embed=1&level=loop#run=v2.j', 'A "b" <c>', SIZES.small)).toBe(
      '<iframe src="https://x.example/?embed=1&amp;level=loop#run=v2.j" title="A &quot;b&quot; &lt;c&gt;" width="480" height="320" style="border:0" loading="lazy"></iframe>',
    );
    expect(snippet('x', 'y', SIZES.wide)).toContain('width="100%" height="480"');
  });
});

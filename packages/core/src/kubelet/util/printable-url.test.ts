import { describe, expect, it } from 'vitest';
import { printableURL } from './printable-url.js';

describe('printableURL', () => {
  it.each([
    ['https://10.0.0.1:6443/k8s', 'https://10.0.0.1:6443/k8s'],
    ['https://me:s3cret@host/x', 'https://***@host/x'],
    ['https://:s3cret@host', 'https://***@host'],
    ['https://s3cret@host', 'https://***@host'],
    // No URLs, but it is told what is there.
    ['https://me:s3/c?r#e@t@host', 'https://***@host'],
    ['me:s3cret@host:8080', '***@host:8080'],
    ['https:me:s3cret@host', '***@host'],
    ['https://me:s3\nc@host\n', 'https://***@host\n'],
    ['http://host/pods?token=s3cret', 'http://host/pods?***'],
    ['http://host/pods#s3cret', 'http://host/pods?***'],
    ['', ''],
  ])('%j is shown as %j', (text, shown) => {
    expect(printableURL(text)).toBe(shown);
  });
});

import { expect, it } from 'vitest';
import { nodesText, shareText } from './share.js';

it('says which share was read, and whose the rest is', () => {
  const programs = [
    { program: 'kube-apiserver', lines: 3000, read: 0 },
    { program: 'kubelet', lines: 1000, read: 995 },
    { program: 'systemd', lines: 10, read: 10 },
    { program: '', lines: 90, read: 0 },
  ];
  expect(shareText({ programs, elsewhere: 900 })).toEqual({
    en: "Read 20 % of 5,000 lines, and >99 % of the kubelet's 1,000; the rest: kube-apiserver 60 %, no program named 2 %, kubelet <1 %, other nodes 18 %.",
    zh: '共 5,000 行，读懂 20 %；其中 kubelet 的 1,000 行读懂 >99 %。其余：kube-apiserver 60 %、未写明程序 2 %、kubelet <1 %、其他节点 18 %。',
  });
  expect(shareText({ programs: [{ program: 'etcd', lines: 5, read: 0 }], elsewhere: 0 })?.en).toBe(
    'Read 0 % of 5 lines, none of which is the kubelet’s; the rest: etcd 100 %.',
  );
  expect(shareText({ programs: [{ program: 'kubelet', lines: 5, read: 5 }], elsewhere: 0 })?.en).toBe(
    "Read 100 % of 5 lines, and 100 % of the kubelet's 5.",
  );
  expect(shareText({ programs: [], elsewhere: 0 })).toBeNull();
});

it('names at most four programs', () => {
  const programs = ['a', 'b', 'c', 'd', 'e', 'f'].map((program, i) => ({ program, lines: 10 - i, read: 0 }));
  expect(shareText({ programs, elsewhere: 0 })?.en).toContain('a 22 %, b 20 %, c 18 %, d 16 %, other programs 24 %');
});

it('says which of several nodes is shown', () => {
  const node = (name: string) => ({ name, lines: 1, kubelet: 1 });
  expect(nodesText({ nodes: [node('n1')] })).toBeNull();
  expect(nodesText({ nodes: [node('n2'), node('n1')] })).toEqual({
    en: 'These are lines of 2 nodes: n2 is shown, and not n1.',
    zh: '日志来自 2 个节点：显示的是 n2，未显示 n1。',
  });
});

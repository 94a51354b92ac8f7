/** Which container runtime a node has, by the words of its errors, flags and other programs, if no line states it. */

/** The more telling first: Docker runs containerd below it, and cri-dockerd asks Docker. */
const WORDS: readonly (readonly [string, RegExp])[] = [
  ['cri-o', /crio\.sock|\bcri-o\b|^crio$|unqualified-search registries|no registries configured/],
  ['cri-dockerd', /cri-dockerd/],
  [
    'docker',
    /dockershim|docker:\/\/|Error response from daemon|Docker daemon|docker container|docker: network plugin|^dockerd/,
  ],
  ['containerd', /containerd\.sock|containerd:\/\/|containerd task|containerd-shim|^containerd$/],
];

export class RuntimeWords {
  private rank = WORDS.length;

  /** '' if nothing was said of one. */
  get runtime(): string {
    return WORDS[this.rank]?.[0] ?? '';
  }
  hear(text: string): void {
    for (let rank = 0; rank < this.rank; rank++) if (WORDS[rank]?.[1].test(text)) this.rank = rank;
  }
}

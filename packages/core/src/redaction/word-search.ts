/** Characters of ASCII; a row of the automaton has one place for each. */
const ROW = 128;

/**
 * Finds all of many words in a text in one pass, in any case (Aho and Corasick's automaton): so a text in which nothing
 * is to be taken out costs the same for ten rules and for hundreds. A character beyond ASCII counts as another one of
 * its last seven bits: what is found is a place to look at, no more.
 */
export class WordSearch {
  /** The words that the last search found, by their number, and where each ends in the text; in the order of ends. */
  readonly words: number[] = [];
  readonly ends: number[] = [];
  /** The next state by state and character, each state times `ROW`. */
  private readonly next: Int32Array;
  /** The words that end in a state; the states from `accepting` on have some. */
  private readonly found: readonly (readonly number[])[];
  private readonly accepting: number;

  /** `words`: of ASCII, in lower case, each once. */
  constructor(words: readonly string[]) {
    const { rows, fails, outputs } = automaton(words);
    // States that end a word get the highest numbers: one comparison tells them.
    const order = [...rows.keys()].sort((a, b) => Number(outputs[a]?.length !== 0) - Number(outputs[b]?.length !== 0));
    const rank = new Int32Array(rows.length);
    for (const [i, state] of order.entries()) rank[state] = i;
    this.next = new Int32Array(rows.length * ROW);
    // Rows are numbered breadth first: that of a state to fall back to is whole before it is copied.
    for (const [state, row] of rows.entries()) {
      const at = (rank[state] as number) * ROW;
      const back = (rank[fails[state] as number] as number) * ROW;
      if (state > 0) this.next.copyWithin(at, back, back + ROW);
      for (const [code, to] of row) {
        const place = (rank[to] as number) * ROW;
        this.next[at + code] = place;
        this.next[at + String.fromCharCode(code).toUpperCase().charCodeAt(0)] = place;
      }
    }
    this.found = order.map((state) => outputs[state] ?? []);
    this.accepting = this.found.findIndex((list) => list.length > 0) * ROW;
  }

  /** Returns the number of words in the text; they are in `words` and `ends` until the next search. */
  find(text: string): number {
    const { next, accepting } = this;
    let count = 0;
    let state = 0;
    for (let i = 0; i < text.length; i++) {
      state = next[state + (text.charCodeAt(i) & 127)] as number;
      if (state >= accepting) count = this.keep(state, i + 1, count);
    }
    return count;
  }

  private keep(state: number, end: number, count: number): number {
    for (const word of this.found[state / ROW] as readonly number[]) {
      this.words[count] = word;
      this.ends[count++] = end;
    }
    return count;
  }
}

/** States with their ways on by character, what each falls back to, and the words that end in it; breadth first. */
function automaton(words: readonly string[]) {
  const rows: Map<number, number>[] = [new Map()];
  const outputs: number[][] = [[]];
  const fails: number[] = [0];
  const depths: (readonly [word: number, state: number])[] = words.map((_, word) => [word, 0]);
  // All words grow by a letter at a time.
  for (let depth = 0, left = depths; left.length > 0; depth++) {
    const longer: (readonly [word: number, state: number])[] = [];
    for (const [number, state] of left) {
      const word = words[number] as string;
      const code = word.charCodeAt(depth);
      const row = rows[state] as Map<number, number>;
      let to = row.get(code);
      if (to === undefined) {
        to = rows.length;
        row.set(code, to);
        rows.push(new Map());
        let back = fails[state] as number;
        while (back !== 0 && !rows[back]?.has(code)) back = fails[back] as number;
        fails.push(state === 0 ? 0 : (rows[back]?.get(code) ?? 0));
        outputs.push([]);
      }
      if (depth + 1 < word.length) longer.push([number, to]);
      else outputs[to]?.push(number);
    }
    left = longer;
  }
  // A word that ends in the state to fall back to ends here, too; that state has a lower number.
  for (let state = 1; state < rows.length; state++) outputs[state]?.push(...(outputs[fails[state] as number] ?? []));
  return { rows, fails, outputs };
}

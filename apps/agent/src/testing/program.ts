interface IO {
  out(text: string): void;
  err(text: string): void;
  untilSignal(): Promise<NodeJS.Signals>;
}

/** Runs `main` in this process, and returns its exit code and what it wrote; what it serves ends at once. */
export async function runProgram(
  main: (argv: readonly string[], io: IO) => Promise<number>,
  ...argv: string[]
): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const code = await main(argv, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    untilSignal: async () => 'SIGTERM',
  });
  return { code, out, err };
}

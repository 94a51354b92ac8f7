import ts from 'typescript-js';
import type { TypeInfo, TypeOption, TypeProblem } from './types-messages.js';

const CODE = '/stage.ts';
const TYPES = '/types.d.ts';
const LIB = '/lib.d.ts';

/** Checks types of one file with a stage's declarations, and completes it: TypeScript's language service. */
export class Checker {
  private readonly files: Map<string, { text: string; version: number }>;
  private readonly service: ts.LanguageService;

  constructor(lib: string) {
    this.files = new Map([
      [LIB, { text: lib, version: 1 }],
      [TYPES, { text: '', version: 1 }],
      [CODE, { text: '', version: 1 }],
    ]);
    const options: ts.CompilerOptions = {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleDetection: ts.ModuleDetectionKind.Force,
      noLib: true,
      strict: true,
      noImplicitReturns: true,
      allowUnreachableCode: false,
      types: [],
    };
    this.service = ts.createLanguageService({
      getCompilationSettings: () => options,
      getScriptFileNames: () => [...this.files.keys()],
      getScriptVersion: (name) => String(this.files.get(name)?.version ?? 0),
      getScriptSnapshot: (name) => {
        const file = this.files.get(name);
        return file && ts.ScriptSnapshot.fromString(file.text);
      },
      getCurrentDirectory: () => '/',
      getDefaultLibFileName: () => LIB,
      fileExists: (name) => this.files.has(name),
      readFile: (name) => this.files.get(name)?.text,
    });
  }

  /** Takes the compiler's messages in another language. */
  static speak(texts: object): void {
    // Not declared, but it is what the compiler's own server calls.
    (ts as unknown as { setLocalizedDiagnosticMessages(texts: object): void }).setLocalizedDiagnosticMessages(texts);
  }

  /** Takes the texts of now. */
  set(types: string, code: string): void {
    for (const [name, text] of [
      [TYPES, types],
      [CODE, code],
    ] as const) {
      const file = this.files.get(name);
      if (file && file.text !== text) this.files.set(name, { text, version: file.version + 1 });
    }
  }

  problems(): TypeProblem[] {
    const found = [...this.service.getSyntacticDiagnostics(CODE), ...this.service.getSemanticDiagnostics(CODE)];
    return found.slice(0, 50).map(({ start = 0, length = 1, category, messageText }) => ({
      from: start,
      to: start + Math.max(1, length),
      severity: category === ts.DiagnosticCategory.Error ? 'error' : 'warning',
      message: ts.flattenDiagnosticMessageText(messageText, '\n'),
    }));
  }

  options(at: number): { from: number; options: TypeOption[] } {
    const code = this.files.get(CODE)?.text ?? '';
    const word = /[\w$]*$/.exec(code.slice(0, at))?.[0] ?? '';
    const found = this.service.getCompletionsAtPosition(CODE, at, { includeCompletionsWithInsertText: false });
    const entries = (found?.entries ?? []).filter(({ name }) => /^[\w$]+$/.test(name)).slice(0, 400);
    return { from: at - word.length, options: entries.map(({ name, kind }) => ({ label: name, kind })) };
  }

  info(at: number): TypeInfo | null {
    const found = this.service.getQuickInfoAtPosition(CODE, at);
    if (!found) return null;
    const signature = ts.displayPartsToString(found.displayParts);
    const words = ts.displayPartsToString(found.documentation);
    const { start, length } = found.textSpan;
    return { from: start, to: start + length, text: words ? `${signature}\n\n${words}` : signature };
  }
}

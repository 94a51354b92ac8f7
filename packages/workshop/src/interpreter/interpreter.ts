import variant from '@jitl/quickjs-singlefile-mjs-release-sync';
import { newQuickJSWASMModuleFromVariant, type QuickJSWASMModule } from 'quickjs-emscripten-core';
import { LINE, makeProblem, prepare, SPREAD, TICK } from '../language/index.js';
import { message } from '../messages/index.js';
import { Code, LEARNER_FILE } from './code.js';
import { LIMITS, TRACE_BYTES, TRACE_MEMORY, TRACE_SLOWER } from './limits.js';
import type { Interpreter, LearnerCode, LoadOptions } from './types.js';

/** Loads the interpreter (QuickJS as WebAssembly, half a megabyte), once for all that it will run. */
export async function createInterpreter(): Promise<Interpreter> {
  let quickJS: QuickJSWASMModule | undefined = await newQuickJSWASMModuleFromVariant(variant);
  const broken = () => {
    // The memory of the interpreter is not to be trusted any more: a fresh one is made for what is loaded next.
    quickJS = undefined;
    newQuickJSWASMModuleFromVariant(variant).then(
      (made) => {
        quickJS = made;
      },
      () => undefined,
    );
  };
  return {
    load({ file, text }, options: LoadOptions = {}): LearnerCode | ReturnType<Interpreter['load']> {
      const limits = { ...LIMITS, ...options.limits };
      const { traceBytes = TRACE_BYTES } = options;
      // Records of lines take time and memory of their own, not that of the code.
      if (options.trace) {
        limits.millis *= TRACE_SLOWER;
        limits.memoryBytes += TRACE_MEMORY * traceBytes;
      }
      const prepared = prepare(file, text, {
        trace: options.trace === true,
        around: (names) => ({
          before: `(function(${TICK},${SPREAD},${LINE}){"use strict";`,
          behind: `\n;return {__proto__:null,${[...names].map(([as, name]) => `${JSON.stringify(as)}:()=>${name}`).join(',')}}})`,
        }),
      });
      if ('kind' in prepared) return prepared;
      if (!quickJS) {
        return makeProblem('memory', message('anew'), file);
      }
      const code = new Code(quickJS, { file, prepared, limits, traceBytes, broken });
      const problem = code.start();
      if (!problem) return code;
      code.dispose();
      return problem;
    },
  };
}

export { LEARNER_FILE };

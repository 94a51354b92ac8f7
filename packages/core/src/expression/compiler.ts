import { isObject } from '../base/index.js';
import type { Json } from '../trace/records.js';
import type { Argument, Binary, Node } from './ast.js';
import { didYouMean, ExpressionError } from './errors.js';
import { contains, type FunctionInfo, functions } from './functions.js';
import { select, selectorOf } from './path.js';
import { roots } from './roots.js';
import type { Env, Part, Run } from './run.js';
import { any, boolean, list, number, recordShapes, type Shape, stateShape, text } from './shapes.js';
import { podNamed } from './subject.js';
import { compare, equal, holds, isList, like, MAX_STRING, memberOf, spend, textOf } from './values.js';

interface Loop {
  readonly parameter: string | null;
  readonly of: Shape;
}

const podsShape = stateShape.type === 'object' ? stateShape.fields.get('pods') : undefined;

/** Advice for CEL, Kubernetes' own language of expressions, where it differs. */
const asInCEL: ReadonlyMap<string, string> = new Map([
  ['size', '; write len(x)'],
  ['has', '; a field that is not there is null: write x != null'],
  ['exists', '; write any(list, x => test)'],
  ['duration', '; write 500ms or 1m30s without quotes'],
  ['string', '; write text(x)'],
  ['int', '; write number(x)'],
  ['double', '; write number(x)'],
]);

/** Makes a tree into a function. Names, fields and functions that cannot exist are ExpressionErrors. */
export class Compiler {
  /** Looks at the state, not only at the record. */
  usesState = false;
  private readonly loops: Loop[] = [];
  private size = 0;

  compile(node: Node): Part {
    this.size++;
    switch (node.type) {
      case 'value': {
        const { value } = node;
        return { run: () => value, shape: typeof value === 'number' ? number : typeof value === 'string' ? text : any };
      }
      case 'name':
        return this.name(node.name, node);
      case 'field':
        return this.field(node);
      case 'index':
        return this.index(node);
      case 'list': {
        const items = node.items.map((item) => this.compile(item).run);
        return { run: (env) => items.map((item) => item(env)), shape: list(any) };
      }
      case 'unary': {
        const { run } = this.compile(node.of);
        if (node.operator === '!') return { run: (env) => !holds(run(env)), shape: boolean };
        const negative: Run = (env) => {
          const value = run(env);
          return typeof value === 'number' ? -value : null;
        };
        return { run: negative, shape: number };
      }
      case 'binary':
        return binary(node.operator, this.compile(node.left), this.compile(node.right));
      case 'choice': {
        const test = this.compile(node.test).run;
        const yes = this.compile(node.yes);
        const no = this.compile(node.no);
        return {
          run: (env) => (holds(test(env)) ? yes.run(env) : no.run(env)),
          shape: yes.shape === no.shape ? yes.shape : any,
        };
      }
      case 'call':
        return this.call(node);
    }
  }

  // --- names ---------------------------------------------------------------------------------------------------------

  private name(name: string, at: Node): Part {
    for (let i = this.loops.length - 1; i >= 0; i--) {
      const loop = this.loops[i] as Loop;
      if (loop.parameter !== name) continue;
      return { run: (env) => env.locals[2 * i] as Json, shape: loop.of };
    }
    const inner = this.loops.length - 1;
    if (name === 'it' || name === 'key') {
      if (inner < 0)
        throw new ExpressionError(
          `"${name}" may be used only within any(), all(), count(), filter(), first(), last(), map() and sum()`,
          at.position,
          at.end,
        );
      const slot = name === 'it' ? 2 * inner : 2 * inner + 1;
      return {
        run: (env) => env.locals[slot] as Json,
        shape: name === 'it' ? (this.loops[inner] as Loop).of : any,
      };
    }
    const root = roots.get(name);
    if (root) {
      this.usesState ||= root.usesState;
      return { run: root.alone, shape: root.aloneShape };
    }
    const shape = recordShapes.get(name);
    if (shape) return { run: (env) => memberOf(env.record, name), shape };
    const all = [...roots.keys(), ...recordShapes.keys(), ...this.loops.map((l) => l.parameter ?? 'it')];
    const isFunction = functions.has(name) ? `; ${name} is a function: ${functions.get(name)?.signature}` : '';
    throw new ExpressionError(
      `there is no name "${shorten(name)}"${isFunction || didYouMean(name, all)}`,
      at.position,
      at.end,
    );
  }

  /**
   * Compiles the owner of a field or index: `state`, `pod` and so on stand there for more than when they stand alone.
   */
  owner(node: Node): Part {
    if (node.type === 'name' && !this.loops.some((l) => l.parameter === node.name)) {
      const root = roots.get(node.name);
      if (root) {
        this.size++;
        this.usesState ||= root.usesState || root.ownerUsesState;
        return { run: root.owner, shape: root.ownerShape };
      }
    }
    return this.compile(node);
  }

  private field(node: Extract<Node, { type: 'field' }>): Part {
    const { run, shape } = this.owner(node.of);
    const { name } = node;
    return { run: (env) => memberOf(run(env), name), shape: this.fieldShape(shape, name, node.nameAt, node.end) };
  }

  private fieldShape(shape: Shape, name: string, position: number, end: number): Shape {
    switch (shape.type) {
      case 'any':
        return any;
      case 'map':
        return shape.of;
      case 'object': {
        const found = shape.fields.get(name);
        if (found) return found;
        const near = didYouMean(name, shape.fields.keys()) || `; there are ${[...shape.fields.keys()].join(', ')}`;
        throw new ExpressionError(`there is no field "${shorten(name)}" here${near}`, position, end);
      }
      case 'list':
        throw new ExpressionError(
          `a list has no field "${shorten(name)}"; take an element by [0] or [-1], or use any(), first() or len()`,
          position,
          end,
        );
      default:
        throw new ExpressionError(`a ${shape.type} has no field "${shorten(name)}"`, position, end);
    }
  }

  private index(node: Extract<Node, { type: 'index' }>): Part {
    const { run, shape } = this.owner(node.of);
    const chosen = selectorOf(node.index);
    if (chosen) return { run: (env) => select(run(env), chosen), shape: shape.type === 'list' ? shape.of : any };
    const index = this.compile(node.index).run;
    if (shape === podsShape)
      return {
        run: (env) => {
          const key = index(env);
          if (typeof key !== 'string') return null;
          const pods = run(env);
          const pod = memberOf(pods, key);
          if (pod !== null) return pod;
          spend(env, 1 + Object.keys(env.context.state.pods).length);
          return (podNamed(env.context.state, key) ?? null) as Json;
        },
        shape: shape.type === 'map' ? shape.of : any,
      };
    let of: Shape = any;
    if (shape.type === 'map' || shape.type === 'list') of = shape.of;
    else if (shape.type === 'object' && node.index.type === 'value' && typeof node.index.value === 'string')
      of = this.fieldShape(shape, node.index.value, node.index.position, node.index.end);
    return { run: (env) => memberOf(run(env), index(env)), shape: of };
  }

  // --- calls ---------------------------------------------------------------------------------------------------------

  private call(node: Extract<Node, { type: 'call' }>): Part {
    const { name, args } = node;
    const info = functions.get(name);
    if (!info)
      throw new ExpressionError(
        `there is no function "${shorten(name)}"${asInCEL.get(name) ?? (didYouMean(name, functions.keys()) || `; there are ${[...functions.keys()].join(', ')}`)}`,
        node.position,
        node.nameEnd,
      );
    if (args.length < info.least || args.length > info.most)
      throw new ExpressionError(
        `${name}() takes ${info.least === info.most ? info.least : `${info.least} to ${info.most}`} arguments, not ${args.length}: ${info.signature}`,
        node.position,
        node.end,
      );
    const wrong = args.find((a, i) => a.parameter !== null && !(info.each && i === 1));
    if (wrong)
      throw new ExpressionError(
        `"=>" may be used only in the last argument of any(), all(), count() and the like`,
        wrong.body.position,
        wrong.body.end,
      );
    if (info.each) return this.each(info, info.each, args);
    const runs = args.map((a) => this.compile(a.body).run);
    const run = info.run as NonNullable<FunctionInfo['run']>;
    return {
      run: (env) => {
        spend(env, 1);
        return run(
          runs.map((arg) => arg(env)),
          env,
        );
      },
      shape: info.gives,
    };
  }

  private each(info: FunctionInfo, each: NonNullable<FunctionInfo['each']>, args: readonly Argument[]): Part {
    const over = this.compile((args[0] as Argument).body);
    const of = over.shape.type === 'list' || over.shape.type === 'map' ? over.shape.of : any;
    const slot = 2 * this.loops.length;
    const test = args[1];
    const before = this.size;
    let body: Run = (env) => env.locals[slot] as Json;
    let gives = info.gives;
    if (test) {
      this.loops.push({ parameter: test.parameter, of });
      const part = this.compile(test.body);
      this.loops.pop();
      body = part.run;
      if (each === 'map') gives = list(part.shape);
    }
    if (each === 'filter') gives = list(of);
    if (each === 'first' || each === 'last') gives = of;
    // Only loops can make an evaluation long; each turn is paid by the size of its body.
    const price = 1 + this.size - before;
    const loop = (env: Env, visit: (value: Json, result: Json) => boolean): void => {
      const whole = over.run(env);
      const { locals } = env;
      const turn = (value: Json, key: Json): boolean => {
        spend(env, price);
        locals[slot] = value;
        locals[slot + 1] = key;
        return visit(value, body(env));
      };
      if (isList(whole)) {
        for (let i = 0; i < whole.length; i++) if (!turn(whole[i] ?? null, i)) return;
      } else if (isObject(whole)) {
        for (const key of Object.keys(whole)) if (!turn(whole[key] ?? null, key)) return;
      }
    };
    return { run: looping(each, test !== undefined, loop), shape: gives };
  }
}

type Each = (env: Env, visit: (value: Json, result: Json) => boolean) => void;

function looping(each: NonNullable<FunctionInfo['each']>, hasTest: boolean, loop: Each): Run {
  switch (each) {
    case 'any':
      return (env) => {
        let found = false;
        loop(env, (_, result) => {
          found = holds(result);
          return !found;
        });
        return found;
      };
    case 'all':
      return (env) => {
        let every = true;
        loop(env, (_, result) => {
          every = holds(result);
          return every;
        });
        return every;
      };
    case 'count':
      return (env) => {
        let n = 0;
        loop(env, (_, result) => {
          if (!hasTest || holds(result)) n++;
          return true;
        });
        return n;
      };
    case 'sum':
      return (env) => {
        let total = 0;
        loop(env, (_, result) => {
          if (typeof result === 'number') total += result;
          return true;
        });
        return Number.isFinite(total) ? total : null;
      };
    case 'first':
    case 'last':
      return (env) => {
        let found: Json = null;
        loop(env, (value, result) => {
          if (hasTest && !holds(result)) return true;
          found = value;
          return each === 'last';
        });
        return found;
      };
    case 'filter':
    case 'map':
      return (env) => {
        const out: Json[] = [];
        loop(env, (value, result) => {
          if (each === 'map') out.push(result);
          else if (holds(result)) out.push(value);
          return true;
        });
        return out;
      };
  }
}

// --- operators -------------------------------------------------------------------------------------------------------

function binary(operator: Binary, left: Part, right: Part): Part {
  const a = left.run;
  const b = right.run;
  switch (operator) {
    case '&&':
      return { run: (env) => holds(a(env)) && holds(b(env)), shape: boolean };
    case '||':
      return { run: (env) => holds(a(env)) || holds(b(env)), shape: boolean };
    case '??':
      return { run: (env) => a(env) ?? b(env), shape: left.shape === right.shape ? left.shape : any };
    case '==':
      return { run: (env) => equal(a(env), b(env), env), shape: boolean };
    case '!=':
      return { run: (env) => !equal(a(env), b(env), env), shape: boolean };
    case '<':
      return { run: (env) => compare(a(env), b(env)) < 0, shape: boolean };
    case '<=':
      return { run: (env) => compare(a(env), b(env)) <= 0, shape: boolean };
    case '>':
      return { run: (env) => compare(a(env), b(env)) > 0, shape: boolean };
    case '>=':
      return { run: (env) => compare(a(env), b(env)) >= 0, shape: boolean };
    case 'in':
      return { run: (env) => contains(b(env), a(env), env), shape: boolean };
    case '=~':
      return { run: (env) => matches(a(env), b(env), env), shape: boolean };
    case '!~':
      return { run: (env) => !matches(a(env), b(env), env), shape: boolean };
    case '+':
      return { run: (env) => plus(a(env), b(env), env), shape: any };
    case '-':
      return arithmetic(a, b, (x, y) => x - y);
    case '*':
      return arithmetic(a, b, (x, y) => x * y);
    case '/':
      return arithmetic(a, b, (x, y) => x / y);
    case '%':
      return arithmetic(a, b, (x, y) => x % y);
  }
}

const matches = (a: Json, b: Json, env: Env): boolean =>
  typeof a === 'string' && typeof b === 'string' && like(a, b, env);

function arithmetic(a: Run, b: Run, f: (x: number, y: number) => number): Part {
  const run: Run = (env) => {
    const x = a(env);
    const y = b(env);
    if (typeof x !== 'number' || typeof y !== 'number') return null;
    const value = f(x, y);
    return Number.isFinite(value) ? value : null;
  };
  return { run, shape: number };
}

/** Returns the sum of numbers; with a text on either side, both as one text. */
function plus(a: Json, b: Json, env: Env): Json {
  if (typeof a === 'number' && typeof b === 'number') return Number.isFinite(a + b) ? a + b : null;
  if ((typeof a !== 'string' && typeof b !== 'string') || a === null || b === null) return null;
  const out = `${textOf(a)}${textOf(b)}`;
  spend(env, 1 + (out.length >> 4));
  return out.length > MAX_STRING ? out.slice(0, MAX_STRING) : out;
}

const shorten = (name: string): string => (name.length > 40 ? `${name.slice(0, 40)}…` : name);

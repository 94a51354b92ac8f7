import { expect, it } from 'vitest';
import { goList, goStruct, scanFields, scanGoString } from './go-values.js';

const fields = (text: string) => ({ ...scanFields(text, 0).fields });

it("reads Go's quotes", () => {
  expect(scanGoString('"a \\"b\\" \\\\ \\n\\t\\a \\x1b \\u00e9 \\U0001f600" rest', 0)).toEqual({
    value: 'a "b" \\ \n\t\x07 \x1b é 😀',
    end: 42,
  });
  for (const bad of ['"no end', '"\\q"', '"\\x1"', '"\\U00ffffff"', 'bare', '"end\\'])
    expect(scanGoString(bad, 0), bad).toBeNull();
});

it('reads the same value as each version prints it', () => {
  const event = { ID: '1f', Type: 'ContainerDied', Data: '9d' };
  expect(goStruct(fields('pod="d/w" event=&{ID:1f Type:ContainerDied Data:9d}').event as string)).toEqual(event);
  expect(fields('event={"ID":"1f","Type":"ContainerDied","Data":"9d"} x=1')).toEqual({ event, x: 1 });
  expect(goStruct('&pleg.PodLifecycleEvent{ID:"1f", Type:"ContainerDied", Data:"9d"}')).toEqual(event);
  for (const pods of ['pods=[d/a d/b]', 'pods="[d/a d/b]"', 'pods=["d/a","d/b"]'])
    expect(goList(fields(pods).pods), pods).toEqual(['d/a', 'd/b']);
  expect(goList(fields('pods=[]').pods)).toEqual([]);
  expect(goList('{a}')).toBeNull();
  expect(fields('podUID=1f00 a=<nil> b=null c=true d=5 e=1.5s f=-2.5 g="1m"')).toEqual({
    podUID: '1f00',
    a: null,
    b: null,
    c: true,
    d: 5,
    e: '1.5s',
    f: -2.5,
    g: '1m',
  });
});

it('knows where a struct ends, with spaces, equals signs and lone brackets in it', () => {
  const actions = '{KillPod:true SandboxID: Attempt:0 ContainersToStart:[0] ContainersToKill:map[]}';
  expect(fields(`podActions=${actions} pod="d/w"`)).toEqual({ podActions: actions, pod: 'd/w' });
  expect(goStruct(actions)).toEqual({
    KillPod: 'true',
    SandboxID: '',
    Attempt: '0',
    ContainersToStart: '[0]',
    ContainersToKill: 'map[]',
  });
  expect(fields('container={Name:app Args:[-c a=b] Env:[{Name:X Value:}}] pod="d/w"')).toMatchObject({ pod: 'd/w' });
  expect(fields('spec={Args:[sh -c echo {] Z:1} pod="d/w"')).toMatchObject({ pod: 'd/w' });
  expect(fields('err="[a, b]" list=[{"a":"]"},"}"]')).toEqual({ err: '[a, b]', list: [{ a: ']' }, '}'] });
  expect(goStruct('not a struct')).toBeNull();
  expect(goStruct('{a b}')).toBeNull();
});

it('takes keys as they come: dots, parentheses, twice, and the names of prototypes', () => {
  const { fields: found, rest } = scanFields(
    ' pod.CreationTimestamp="t" subresource(s)="s" a=1 a=2 __proto__="x" constructor=y and no field',
    0,
  );
  expect(Object.keys(found)).toEqual(['pod.CreationTimestamp', 'subresource(s)', 'a', '__proto__', 'constructor']);
  expect(found.a).toBe(2);
  expect(found.constructor).toBe('y and no field');
  expect(rest).toBe('');
  expect(({} as { x?: string }).x).toBeUndefined();
});

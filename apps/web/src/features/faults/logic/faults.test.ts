import { parseAction } from '@syncloop/core/scenario';
import { describe, expect, it } from 'vitest';
import { isMessageKey } from '../../../i18n/index.js';
import { actionText } from './fault-text.js';
import { FAULT_GROUPS, FAULTS, type FaultTemplate, firstValues } from './faults.js';

const pods = [
  { pod: 'web-node1', containers: ['app', 'side'] },
  { pod: 'other/db-node1', containers: ['db'] },
];
const node = { pods, devices: ['example.com/gpu gpu-0', 'example.com/gpu gpu-1'] };
const byId = (id: string) => FAULTS.find((f) => f.id === id) as FaultTemplate;

describe('faults', () => {
  it('are steps of a scenario, with what their forms begin with, as data and as text', () => {
    for (const template of FAULTS) {
      const action = template.build(firstValues(template, node));
      expect(parseAction(actionText(action)), template.id).toEqual(parseAction(action));
    }
  });

  it('are so with every choice of every list', () => {
    for (const template of FAULTS)
      for (const field of template.fields)
        for (const option of field.options ?? []) {
          const values = { ...firstValues(template, node), [field.name]: option };
          expect(() => parseAction(template.build(values)), `${template.id} ${field.name} ${option}`).not.toThrow();
        }
  });

  it('take what may be left out', () => {
    const filled = { for: '30s', times: '2', pod: 'web-node1', image: 'busybox', fault: 'relist' };
    for (const template of FAULTS) {
      const own = Object.fromEntries(
        template.fields.flatMap(({ name }) => (name in filled ? [[name, filled[name as keyof typeof filled]]] : [])),
      );
      const action = template.build({ ...firstValues(template, node), ...own });
      expect(() => parseAction(action), template.id).not.toThrow();
      for (const value of Object.values(own)) expect(JSON.stringify(action), template.id).toContain(value);
    }
    expect(byId('stopRuntime').build({ for: '5s' })).toEqual({ fault: { runtime: 'stopped', for: '5s' } });
    expect(byId('stopRuntime').build({ for: ' ' })).toBe('stopRuntime');
  });

  it('leave it to the session to say what is wrong with what was written', () => {
    const of = (id: string, values: Parameters<FaultTemplate['build']>[0]) => () =>
      parseAction(byId(id).build({ ...firstValues(byId(id), node), ...values }));
    expect(of('criDelay', { delay: 'soon' })).toThrow('action.fault.delay: it is "soon"; it must be a duration');
    expect(of('criError', { times: 'twice' })).toThrow('action.fault.times: it is "twice"; it must be a whole number');
    expect(of('probe', { pattern: 'FX' })).toThrow('action.fault.pattern');
    expect(() => parseAction(byId('kill').build(firstValues(byId('kill'), { pods: [], devices: [] })))).toThrow(
      'action.kill.pod',
    );
  });

  it('offer for each field only what the session takes', () => {
    for (const template of FAULTS)
      for (const { name, options = [] } of template.fields)
        for (const option of options)
          expect(() => parseAction(template.build({ ...firstValues(template, node), [name]: option }))).not.toThrow();
    expect(byId('criError').fields.find((f) => f.name === 'code')?.options).not.toContain('OK');
  });

  it('keep what was chosen where the next form has it too', () => {
    const kill = firstValues(byId('kill'), node, { pod: 'other/db-node1', container: 'app', signal: 'NONE' });
    expect(kill).toEqual({ pod: 'other/db-node1', container: 'db', signal: 'KILL' });
    expect(firstValues(byId('criError'), node).pod).toBe('');
    expect(firstValues(byId('criDelay'), node, { method: 'PullImage', pod: 'web-node1', delay: '9s' })).toEqual({
      method: 'PullImage',
      pod: 'web-node1',
      delay: '9s',
      times: '',
    });
    expect(firstValues(byId('oom'), node, { pod: 'gone' }).pod).toBe('web-node1');
  });

  it('name a device and its resource, or the resource of a plug-in', () => {
    const device = firstValues(byId('device'), node, { device: 'example.com/gpu gpu-1' });
    expect(byId('device').build(device)).toEqual({
      devicePlugin: { resource: 'example.com/gpu', unhealthy: ['gpu-1'] },
    });
    expect(byId('devicePlugin').build(firstValues(byId('devicePlugin'), node, { for: '3s' }))).toEqual({
      devicePlugin: { resource: 'example.com/gpu', run: 'restart', down: '3s' },
    });
    expect(byId('allocate').build({ ...firstValues(byId('allocate'), node), delay: '2s' })).toEqual({
      devicePlugin: { resource: 'example.com/gpu', allocate: { error: 'the device is busy', took: '2s' } },
    });
  });

  it('have a title, a group and labels in the catalogue', () => {
    for (const template of FAULTS) {
      expect(isMessageKey(`faults.${template.id}`), template.id).toBe(true);
      expect(isMessageKey(`faults.${template.id}.help`), template.id).toBe(true);
      for (const { name } of template.fields) expect(isMessageKey(`faults.field.${name}`), name).toBe(true);
    }
    for (const group of FAULT_GROUPS) expect(isMessageKey(`faults.group.${group}`), group).toBe(true);
  });

  it('are written as YAML that means the same', () => {
    const odd = {
      fault: { method: '*', error: { code: 'Unknown', message: 'no: "way" #1\n' }, times: 2, name: 'true' },
    };
    expect(parseAction(actionText(odd))).toEqual(parseAction(odd));
    expect(actionText({ fault: { relist: '2s', for: '1m' } })).toBe('fault:\n  relist: 2s\n  for: 1m');
  });
});

/**
 * The claims of the declarations of the API's objects are those that were compared with upstream's documents; nothing
 * drifts.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { apiObjects } from '../packages/core/src/api/objects/index.ts';
import { top } from './lib.mjs';
import { checkedFile, claimsOf, declaredStructs, digestOf } from './openapi.mjs';

const structs = declaredStructs(apiObjects);
const checked = JSON.parse(fs.readFileSync(checkedFile, 'utf8'));

describe('the declared objects of the API', () => {
  it('are as they were when they were held against the documents of Kubernetes', () => {
    expect(structs.size).toBeGreaterThan(150);
    const changed = [...new Set([...structs.keys(), ...Object.keys(checked.digests)])].filter(
      (key) => !structs.has(key) || digestOf(structs.get(key)) !== checked.digests[key],
    );
    expect(changed, 'hold them against upstream again, as the head of scripts/openapi.mjs says').toEqual([]);
  });

  it('notice a change of any fact: name, type, number, required, list kind, patch key, default', () => {
    const pod = structs.get('core.Container');
    const with_ = (name, facts) => ({ ...pod, fields: { ...pod.fields, [name]: { ...pod.fields[name], ...facts } } });
    const { image: _, ...fewer } = pod.fields;
    const changed = [
      { ...pod, fields: fewer },
      with_('image', { kind: 'int32' }),
      with_('image', { number: 99 }),
      with_('image', { required: true }),
      with_('ports', { list: 'atomic' }),
      with_('ports', { patchKey: 'name' }),
      with_('ports', { keys: ['name'] }),
      with_('terminationMessagePolicy', { default: 'Fail' }),
    ].map(digestOf);
    expect(new Set([...changed, digestOf(pod)]).size).toBe(changed.length + 1);
    expect(claimsOf(pod).ports).toBe('6 []ContainerPort map(containerPort,protocol) patch containerPort');
  });

  it('name only fields that there are as keys and unions, and give no number twice in a message', () => {
    for (const [name, struct] of structs) {
      const numbers = Object.values(struct.fields)
        .filter((f) => f.number)
        .map((f) => `${f.via ?? ''}.${f.number}`);
      expect(new Set(numbers).size, name).toBe(numbers.length);
      for (const member of struct.union ?? []) expect(Object.keys(struct.fields), name).toContain(member);
      for (const field of Object.values(struct.fields))
        if (field.t === 'list' && field.of.t === 'struct')
          for (const key of [...(field.keys ?? []), ...(field.patchKey ? [field.patchKey] : [])])
            expect(Object.keys(field.of.fields), name).toContain(key);
    }
  });
});

describe('adding a field to a Pod', () => {
  /** Sources that have a line for the field, as a table or a type has one. */
  function filesThatList(name) {
    const roots = [
      'packages/core/src',
      'packages/observe/src',
      'packages/workshop/src',
      'apps/web/src',
      'apps/agent/src',
    ];
    const out = [];
    for (const root of roots)
      for (const file of fs.readdirSync(path.join(top, root), { recursive: true })) {
        if (!/\.tsx?$/.test(file) || /\.test\.tsx?$/.test(file)) continue;
        const text = fs.readFileSync(path.join(top, root, file), 'utf8');
        if (new RegExp(`^\\s*'?${name}'?\\??:|[ ']${name}=`, 'm').test(text)) out.push(`${root}/${file}`);
      }
    return out.sort();
  }

  it('touches two tables: its declaration, and its words', () => {
    const samples = { seLinuxChangePolicy: 'security', setHostnameAsFQDN: 'pod-spec', recursiveReadOnly: 'container' };
    const words = { seLinuxChangePolicy: 'security', setHostnameAsFQDN: 'spec', recursiveReadOnly: 'container' };
    for (const [field, file] of Object.entries(samples)) {
      const listed = filesThatList(field).filter((f) => /core\/src\/api\/|\/schema\/|\/apiserver\//.test(f));
      expect(listed, field).toContain(`packages/core/src/api/objects/${file}.ts`);
      expect(listed, field).toContain(`packages/core/src/schema/${words[field]}.ts`);
    }
    expect(filesThatList('seLinuxChangePolicy')).toHaveLength(2);
    expect(filesThatList('setHostnameAsFQDN')).toHaveLength(2);
  });
});

import { describe, expect, it } from 'vitest';
import { background, Second } from '../../kernel/index.js';
import { defaultKubeletConfig } from '../config.js';
import { makePod, TestManager } from '../kuberuntime/testing/harness.js';
import { ContainerLogManager } from './container-log-manager.js';

function setup() {
  const t = new TestManager();
  t.sync(makePod());
  const logs = new ContainerLogManager({
    kernel: t.kernel,
    config: { ...defaultKubeletConfig(), containerLogMaxSizeBytes: 10, containerLogMaxFiles: 5 },
    runtimeService: t.runtime.services,
    os: t.os,
  });
  const path = t.runtime.container('app').logPath ?? '';
  const write = (name: string, text: string) => t.run(t.os.writeFile(name, text, 0o640));
  const files = () => t.run(t.os.readDir('/var/log/pods/default_web-node1_uid1/app')).map((f) => f.name);
  t.runtime.calls.length = 0;
  return { t, logs, path, write, files };
}

describe('container log rotation', () => {
  it('[2:L-01] [3:LOG-01] looks every 10 s, and moves a log that is large enough', () => {
    const { t, logs, path, write, files } = setup();
    write(path, 'small');
    logs.start();
    t.wait(5 * Second);
    expect(t.runtime.log()).toEqual(['listContainers', 'containerStatus app#0']);
    write(path, 'large enough');
    t.wait(10 * Second);
    expect(t.runtime.log().slice(2)).toEqual(['listContainers', 'containerStatus app#0', 'reopenContainerLog app#0']);
    expect(files()).toEqual(['0.log.20260101-000010']);
  });

  it('[2:L-01] has a missing log opened again', () => {
    const { t, logs } = setup();
    t.run(logs.rotateLogs(background));
    expect(t.runtime.log()).toEqual(['listContainers', 'containerStatus app#0', 'reopenContainerLog app#0']);
    expect(t.of('log').at(-1)?.msg).toBe('Failed to stat container log after reopen');
  });

  it('[2:L-01] [3:LOG-01] keeps maxFiles - 2 old ones, and drops leftovers', () => {
    const { t, logs, path, write, files } = setup();
    for (const suffix of ['1.gz', '2', '2.gz', '3.tmp', '4', '5', '6']) write(`${path}.2026010${suffix}`, 'x');
    write(path, 'large enough');
    t.run(logs.rotateLogs(background));
    expect(files()).toEqual(['0.log.20260101-000000', '0.log.20260104', '0.log.20260105', '0.log.20260106']);
  });

  it('[2:L-01] moves the log back when it cannot be opened anew', () => {
    const { t, logs, path, write, files } = setup();
    write(path, 'large enough');
    t.runtime.failures.reopenContainerLog = [new Error('no')];
    t.run(logs.rotateLogs(background));
    expect(files()).toEqual(['0.log']);
    expect(t.of('log').at(-1)).toMatchObject({ severity: 'E', msg: 'Failed to rotate log for container' });
  });

  it('[2:D-04] cleans a log with all its rotated ones', () => {
    const { t, logs, path, write, files } = setup();
    for (const name of [path, `${path}.20260101-000000`, `${path}.20260101-000000.gz`]) write(name, 'x');
    t.run(logs.clean(background, t.runtime.container('app').id));
    expect(files()).toEqual([]);
  });
});

/** Programs that give credentials for images: read from their configuration, and run. */
import { spawn } from 'node:child_process';
import { accessSync, constants, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { call } from '@syncloop/core/kernel';
import { type CredentialProvider, type ExecPlugin, parseCredentialProviderConfig } from '@syncloop/core/kubelet';
import { UsageError } from '../cli/errors.js';
import { parseYAML } from '../config/yaml.js';
import { heardChild } from '../heard.js';

/** Most that a plug-in may write, bytes. */
const maxOutput = 1024 * 1024;
/** How much of what it says on stderr goes into an error. */
const maxStderr = 4096;

export interface CredentialPlugins {
  readonly providers: readonly CredentialProvider[];
  readonly exec: ExecPlugin;
}

/**
 * Reads a CredentialProviderConfig, or all in a folder (`*.json`, `*.yaml`, `*.yml` by name), and finds the programs. Throws a
 * UsageError that names file and field. upstream: RegisterCredentialProviderPlugins
 */
export function loadCredentialPlugins(configPath: string, binDir: string): CredentialPlugins {
  const dir = statOf(binDir);
  if (!dir?.isDirectory())
    throw new UsageError(`--image-credential-provider-bin-dir: plugin binary directory ${binDir} did not exist`);
  const config = statOf(configPath);
  if (!config) throw new UsageError(`--image-credential-provider-config: unable to access path "${configPath}"`);
  const files = config.isDirectory()
    ? readdirSync(configPath, { withFileTypes: true })
        .filter((e) => !e.isDirectory() && ['.json', '.yaml', '.yml'].includes(extname(e.name)))
        .map((e) => join(configPath, e.name))
        .sort()
    : [configPath];
  if (files.length === 0)
    throw new UsageError(
      `--image-credential-provider-config: no configuration files found in directory "${configPath}"`,
    );
  const providers: CredentialProvider[] = [];
  for (const file of files) {
    const { value } = parseYAML(file, readFileSync(file, 'utf8'));
    let read: CredentialProvider[];
    try {
      read = parseCredentialProviderConfig(value);
    } catch (err) {
      throw new UsageError(`${file}: ${(err as Error).message}`);
    }
    for (const provider of read) {
      if (providers.some((p) => p.name === provider.name))
        throw new UsageError(`${file}: duplicate provider name "${provider.name}" found in configuration file(s)`);
      providers.push(provider);
    }
  }
  for (const { name } of providers) {
    const program = join(binDir, name);
    try {
      accessSync(program, constants.X_OK);
    } catch {
      throw new UsageError(
        `${configPath}: plugin binary executable ${program} did not exist, or may not be run: put it into --image-credential-provider-bin-dir and make it executable`,
      );
    }
  }
  return { providers, exec: execPlugin(binDir) };
}

const statOf = (path: string) => statSync(path, { throwIfNoEntry: false });

/** upstream: (*execPlugin).ExecPlugin */
export const execPlugin = (binDir: string): ExecPlugin =>
  function* (provider, request, image, timeout) {
    return yield* call(`credential plugin ${provider.name}`, () =>
      run(join(binDir, provider.name), provider, request, image, timeout / 1000),
    );
  };

/** Nothing of what it writes on stdout gets into an error. */
function run(
  program: string,
  provider: CredentialProvider,
  request: string,
  image: string,
  millis: number,
): Promise<string> {
  const failed = (why: string, stderr: string) =>
    new Error(`error execing credential provider plugin ${provider.name} for image ${image}: ${why}: ${stderr}`);
  return new Promise((resolve, reject) => {
    const env: NodeJS.ProcessEnv = { ...process.env };
    for (const { name, value } of provider.env) env[name] = value;
    const child = heardChild(spawn(program, [...provider.args], { env, stdio: ['pipe', 'pipe', 'pipe'] }));
    // Out of file descriptors it has no pipes: then all that comes is an error.
    const { stdin, stdout, stderr: errors } = child as Partial<typeof child>;
    const out: Buffer[] = [];
    let size = 0;
    let stderr = '';
    let why = '';
    const end = (reason: string) => {
      why ||= reason;
      child.kill('SIGKILL');
    };
    const timer = setTimeout(() => end('context deadline exceeded'), millis);
    stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxOutput) end(`it wrote more than ${maxOutput} bytes`);
      else out.push(chunk);
    });
    errors?.on('data', (chunk: Buffer) => {
      if (stderr.length < maxStderr) stderr = (stderr + chunk.toString('utf8')).slice(0, maxStderr);
    });
    child.on('error', (err) => {
      clearTimeout(timer);
      reject(failed(err.message, stderr));
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (why !== '') reject(failed(why, stderr));
      else if (code !== 0) reject(failed(signal ? `signal: ${signal}` : `exit status ${code}`, stderr));
      else resolve(Buffer.concat(out).toString('utf8'));
    });
    stdin?.end(request);
  });
}

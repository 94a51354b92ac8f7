/** Programs that give credentials for images: read from their configuration, and run. */
import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { call } from '@syncloop/core/kernel';
import { type CredentialProvider, type ExecPlugin, parseCredentialProviderConfig } from '@syncloop/core/kubelet';
import { UsageError } from '../base/errors.js';
import { readRegularSync, settingsLimit } from '../base/read-file.js';
import { parseYAML } from '../base/yaml.js';
import { type PluginError, runPlugin } from './run-plugin.js';

export interface CredentialPlugins {
  readonly providers: readonly CredentialProvider[];
  readonly exec: ExecPlugin;
}

/**
 * Reads a CredentialProviderConfig, or all in a folder (`*.json`, `*.yaml`, `*.yml` by name), and finds the programs.
 * Throws a UsageError that names file and field. upstream: RegisterCredentialProviderPlugins
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
    const { value } = parseYAML(file, textOf(file));
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

/** Throws a UsageError. */
function textOf(file: string): string {
  try {
    return readRegularSync(file, { limit: settingsLimit }).toString('utf8');
  } catch (err) {
    throw new UsageError(`--image-credential-provider-config: ${(err as Error).message}`);
  }
}

const statOf = (path: string) => statSync(path, { throwIfNoEntry: false });

/** upstream: (*execPlugin).ExecPlugin */
export const execPlugin = (binDir: string): ExecPlugin =>
  function* (provider, request, image, timeout) {
    return yield* call(`credential plugin ${provider.name}`, () =>
      run(join(binDir, provider.name), provider, request, image, timeout / 1000),
    );
  };

async function run(
  program: string,
  provider: CredentialProvider,
  request: string,
  image: string,
  millis: number,
): Promise<string> {
  const env: NodeJS.ProcessEnv = { ...process.env };
  for (const { name, value } of provider.env) env[name] = value;
  try {
    return await runPlugin(program, { args: provider.args, env, input: request, millis });
  } catch (err) {
    const { message, stderr } = err as PluginError;
    throw new Error(
      `error execing credential provider plugin ${provider.name} for image ${image}: ${message}: ${stderr}`,
    );
  }
}

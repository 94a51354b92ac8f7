/** Plug-ins that give credentials for an API server. upstream: client-go plugin/pkg/client/auth/exec */
import { isAbsolute, resolve } from 'node:path';
import { SetupError } from '../base/errors.js';
import { runPlugin } from '../host/run-plugin.js';

/** The longest time for a plug-in, ms. It may have to ask a distant server. */
const timeoutMillis = 60_000;

/** A program, its arguments and its environment. */
export interface ExecPlugin {
  readonly file: string;
  readonly user: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Its last answer, and when that expires, ms since 1970. */
  cached: { readonly status: ExecCredentialStatus; readonly until: number } | null;
}

export interface ExecCredentialStatus {
  readonly token?: string;
  readonly certPem?: string;
  readonly keyPem?: string;
}

type Fields = Readonly<Record<string, unknown>>;
const isText = (value: unknown): value is string => typeof value === 'string';

/** A user's `exec`, its command resolved from the file's folder; null if the user has none. Throws a SetupError. */
export function execPluginOf(
  file: string,
  user: string,
  exec: unknown,
  base: string,
  cluster: Fields,
): ExecPlugin | null {
  if (exec === undefined || exec === null) return null;
  const wrong = (what: string) =>
    new SetupError(`${file}: users: the exec plug-in of user ${JSON.stringify(user)} ${what}`);
  if (typeof exec !== 'object') throw wrong('must be a map with command, args and env');
  const { command, apiVersion, provideClusterInfo, args, env } = exec as Fields;
  if (!isText(command) || command === '') throw wrong('has no command');
  if (command.includes('\0')) throw wrong('has a command that is not a path');
  if (
    args !== undefined &&
    args !== null &&
    !(Array.isArray(args) && args.every((a) => isText(a) && !a.includes('\0')))
  )
    throw wrong('has args that are not a list of strings');
  const variables: NodeJS.ProcessEnv = { ...process.env };
  for (const entry of Array.isArray(env) ? (env as unknown[]) : []) {
    const { name, value } = (entry ?? {}) as Fields;
    if (!isText(name) || !isText(value) || !/^[^=\0]+$/.test(name) || value.includes('\0'))
      throw wrong('has an env that is not a list of name and value');
    variables[name] = value;
  }
  const info = {
    apiVersion: isText(apiVersion) ? apiVersion : 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    spec: {
      interactive: false,
      ...(provideClusterInfo === true && {
        cluster: {
          server: cluster.server,
          'certificate-authority-data': cluster['certificate-authority-data'],
          'insecure-skip-tls-verify': cluster['insecure-skip-tls-verify'],
          'tls-server-name': cluster['tls-server-name'],
        },
      }),
    },
  };
  variables.KUBERNETES_EXEC_INFO = JSON.stringify(info);
  return {
    file,
    user,
    command: command.includes('/') && !isAbsolute(command) ? resolve(base, command) : command,
    args: (args as string[] | undefined) ?? [],
    env: variables,
    cached: null,
  };
}

/**
 * Runs the plug-in and returns its answer; returns the previous answer until that expires. Rejects with a PluginError,
 * or with a SetupError if the answer is not an ExecCredential. The error contains no part of the answer.
 */
export async function execCredential(plugin: ExecPlugin): Promise<ExecCredentialStatus> {
  if (plugin.cached && Date.now() < plugin.cached.until) return plugin.cached.status;
  plugin.cached = null;
  const { command, args, env } = plugin;
  const answer = await runPlugin(command, { args, env, millis: timeoutMillis });
  const fail = (what: string) =>
    new SetupError(
      `${plugin.file}: the credential plug-in of user ${JSON.stringify(plugin.user)} ${what}; it must print an ExecCredential as JSON`,
    );
  let value: Fields;
  try {
    value = JSON.parse(answer) as Fields;
  } catch {
    throw fail('did not answer with JSON');
  }
  const given = (value?.status ?? {}) as Fields;
  const { token, clientCertificateData: certPem, clientKeyData: keyPem, expirationTimestamp } = given;
  if (value?.kind !== 'ExecCredential') throw fail('did not answer with an ExecCredential');
  const status: ExecCredentialStatus = {
    ...(isText(token) && token !== '' && { token }),
    ...(isText(certPem) && certPem !== '' && { certPem }),
    ...(isText(keyPem) && keyPem !== '' && { keyPem }),
  };
  if (Object.keys(status).length === 0) throw fail('gave neither a token nor a client certificate');
  const until = isText(expirationTimestamp) ? Date.parse(expirationTimestamp) : Number.NaN;
  if (Number.isFinite(until)) plugin.cached = { status, until };
  return status;
}

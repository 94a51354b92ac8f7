/**
 * The options of exec, attach and portForward requests.
 * upstream: k8s.io/cri-streaming/pkg/streaming/{remotecommand,portforward}
 */
import { HTTPError } from './errors.js';

/** Query parameters, as URLSearchParams has them. */
export interface Parameters {
  get(name: string): string | null;
  getAll(name: string): string[];
}

/** upstream: remotecommand.Options */
export interface RemoteCommandOptions {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** Throws an HTTPError 400. upstream: remotecommand.NewOptions */
export function parseRemoteCommandOptions(query: Parameters): RemoteCommandOptions {
  const is = (name: string) => query.get(name) === '1';
  const tty = is('tty');
  // A terminal has one output.
  const options = { stdin: is('input'), stdout: is('output'), stderr: is('error') && !tty, tty };
  if (!options.stdin && !options.stdout && !options.stderr)
    throw new HTTPError(400, 'you must specify at least 1 of stdin, stdout, stderr');
  return options;
}

/**
 * Ports of a forward over websocket; over SPDY, or where SPDY is tunnelled, each stream names its own. Throws an
 * HTTPError 400.
 * upstream: portforward.NewV4Options
 */
export function parsePortForwardPorts(query: Parameters, websocket: boolean): number[] {
  if (!websocket) return [];
  const given = query.getAll('port');
  if (given.length === 0) throw new HTTPError(400, 'query parameter "port" is required');
  return given
    .flatMap((text) => text.split(','))
    .map((text) => {
      if (text === '') throw new HTTPError(400, 'query parameter "port" cannot be empty');
      const quoted = JSON.stringify(text);
      if (!/^\d+$/.test(text))
        throw new HTTPError(
          400,
          `unable to parse ${quoted} as a port: strconv.ParseUint: parsing ${quoted}: invalid syntax`,
        );
      const port = Number(text);
      if (port > 65535)
        throw new HTTPError(
          400,
          `unable to parse ${quoted} as a port: strconv.ParseUint: parsing ${quoted}: value out of range`,
        );
      if (port < 1) throw new HTTPError(400, `port ${quoted} must be > 0`);
      return port;
    });
}

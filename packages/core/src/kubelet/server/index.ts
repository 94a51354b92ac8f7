/** The pure parts of the kubelet's own server; the agent puts HTTP around them. upstream: pkg/kubelet/server */

export { getContainerSpec } from '../../api/pod/podutil.js';
export * from './auth.js';
export * from './errors.js';
export * from './host.js';
export { type PodLogOptions, parsePodLogOptions } from './log-options.js';
export * from './node-log-query.js';
export * from './paths.js';
export { type LogFile, type LogFiles, type LogWriter, logFilesOf } from './read-logs.js';
export * from './remote-command.js';
export * from './stats.js';

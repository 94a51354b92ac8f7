import { bool, field, int64, list, oneOf, pointer, required, type Shape, str, struct } from './field.js';

const seLinuxOptionsFields = {
  user: field(1, str),
  role: field(2, str),
  type: field(3, str),
  level: field(4, str),
};
export interface SELinuxOptions extends Shape<typeof seLinuxOptionsFields> {}
export const seLinuxOptions = struct<SELinuxOptions>('SELinuxOptions', seLinuxOptionsFields);
export const windowsSecurityContextOptions = struct('WindowsSecurityContextOptions', {
  gmsaCredentialSpecName: pointer(1, str),
  gmsaCredentialSpec: pointer(2, str),
  runAsUserName: pointer(3, str),
  hostProcess: pointer(4, bool),
});
const seccompProfileFields = {
  type: required(1, oneOf('RuntimeDefault', 'Unconfined', 'Localhost')),
  localhostProfile: pointer(2, str),
};
export interface SeccompProfile extends Shape<typeof seccompProfileFields> {}
export const seccompProfile = struct<SeccompProfile>('SeccompProfile', seccompProfileFields);
const appArmorProfileFields = {
  type: required(1, oneOf('RuntimeDefault', 'Unconfined', 'Localhost')),
  localhostProfile: pointer(2, str),
};
export interface AppArmorProfile extends Shape<typeof appArmorProfileFields> {}
export const appArmorProfile = struct<AppArmorProfile>('AppArmorProfile', appArmorProfileFields);
export const capabilities = struct('Capabilities', {
  add: field(1, list(str)),
  drop: field(2, list(str)),
});
const securityContextFields = {
  runAsUser: pointer(4, int64),
  runAsGroup: pointer(8, int64),
  runAsNonRoot: pointer(5, bool),
  seLinuxOptions: field(3, seLinuxOptions),
  windowsOptions: field(10, windowsSecurityContextOptions, { ignored: true }),
  seccompProfile: field(11, seccompProfile),
  appArmorProfile: field(12, appArmorProfile),
  capabilities: field(1, capabilities),
  privileged: pointer(2, bool),
  readOnlyRootFilesystem: pointer(6, bool),
  allowPrivilegeEscalation: pointer(7, bool),
  procMount: pointer(9, oneOf('Default', 'Unmasked')),
};
export interface SecurityContext extends Shape<typeof securityContextFields> {}
export const securityContext = struct<SecurityContext>('SecurityContext', securityContextFields);
const sysctlFields = {
  name: required(1, str),
  value: required(2, str),
};
export interface Sysctl extends Shape<typeof sysctlFields> {}
export const sysctl = struct<Sysctl>('Sysctl', sysctlFields);
const podSecurityContextFields = {
  runAsUser: pointer(2, int64),
  runAsGroup: pointer(6, int64),
  runAsNonRoot: pointer(3, bool),
  seLinuxOptions: field(1, seLinuxOptions),
  windowsOptions: field(8, windowsSecurityContextOptions, { ignored: true }),
  seccompProfile: field(10, seccompProfile),
  appArmorProfile: field(11, appArmorProfile),
  supplementalGroups: field(4, list(int64)),
  supplementalGroupsPolicy: pointer(12, oneOf('Merge', 'Strict')),
  fsGroup: pointer(5, int64),
  fsGroupChangePolicy: pointer(9, oneOf('Always', 'OnRootMismatch'), { ignored: true }),
  sysctls: field(7, list(sysctl)),
  seLinuxChangePolicy: pointer(13, oneOf('MountOption', 'Recursive'), { ignored: true }),
};
export interface PodSecurityContext extends Shape<typeof podSecurityContextFields> {}
export const podSecurityContext = struct<PodSecurityContext>('PodSecurityContext', podSecurityContextFields);

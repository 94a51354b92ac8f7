import { certificateSigningRequest } from '../../api/objects/certificates.js';
import { base64Decode } from '../../base/index.js';
import { humanDuration } from '../../kubectl/duration.js';
import { asCSR, type CSR, type CSRCondition, hasCondition, readRequest } from '../certificates/request.js';
import { copyJSON, equalJSON } from '../json.js';
import { isLabel, isPathSegment, isSubdomain } from '../registry/names.js';
import { allVerbs, type Env, type Resource, type Subresource } from '../registry/resource.js';
import type { ApiObject } from '../types.js';
import { age, ageOf, col, name } from './tables.js';

/** upstream: pkg/registry/certificates, pkg/apis/certificates/validation */

const usages = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];
const quoted = (all: readonly string[]) => all.map((u) => JSON.stringify(u)).join(', ');
const invalid = (at: string, value: unknown, why: string) => `${at}: Invalid value: ${JSON.stringify(value)}: ${why}`;

/** upstream: pkg/apis/core/validation ValidateSignerName */
function signerNameErrors(signerName: string): string[] {
  const at = 'spec.signerName';
  if (!signerName) return [`${at}: Required value`];
  if (signerName === 'kubernetes.io/legacy-unknown')
    return [invalid(at, signerName, 'the legacy signerName is not allowed via this API version')];
  const [domain = '', path = '', ...more] = signerName.split('/');
  if (!signerName.includes('/') || more.length > 0)
    return [invalid(at, signerName, "must be a fully qualified domain and path of the form 'example.com/signer-name'")];
  const errors: string[] = [];
  const maxPath = 253 + 63 + 1;
  if (domain.length > 253) errors.push(`${at}: Too long: may not be more than 253 bytes`);
  const labels = domain.split('.');
  const badLabel = labels.find((l) => isLabel(l).length > 0);
  if (badLabel !== undefined)
    for (const m of isLabel(badLabel))
      errors.push(invalid(at, domain, `validating label ${JSON.stringify(badLabel)}: ${m}`));
  if (labels.length < 2)
    errors.push(invalid(at, domain, 'should be a domain with at least two segments separated by dots'));
  const badPart = path.split('.').find((l) => isSubdomain(l).length > 0);
  if (badPart !== undefined)
    for (const m of isSubdomain(badPart))
      errors.push(invalid(at, path, `validating label ${JSON.stringify(badPart)}: ${m}`));
  if (path.length > maxPath) errors.push(`${at}: Too long: may not be more than ${maxPath} bytes`);
  return errors;
}

function validateNew(draft: ApiObject, env: Env): string[] {
  const csr = asCSR(draft);
  const { spec } = csr;
  const errors: string[] = [];
  try {
    readRequest(csr, env.certificates);
  } catch (error) {
    // The request itself can be long: its beginning tells which one it is.
    errors.push(invalid('spec.request', String(spec.request ?? '').slice(0, 4096), (error as Error).message));
  }
  if (!spec.usages?.length) errors.push('spec.usages: Required value');
  const seen = new Set<string>();
  for (const [i, usage] of (spec.usages ?? []).slice(0, 100).entries()) {
    const at = `spec.usages[${i}]`;
    if (!usages.includes(usage))
      errors.push(`${at}: Unsupported value: ${JSON.stringify(usage)}: supported values: ${quoted(usages)}`);
    if (seen.has(usage)) errors.push(`${at}: Duplicate value: ${JSON.stringify(usage)}`);
    seen.add(usage);
  }
  errors.push(...signerNameErrors(spec.signerName));
  if (spec.expirationSeconds !== undefined && spec.expirationSeconds < 600)
    errors.push(
      invalid(
        'spec.expirationSeconds',
        spec.expirationSeconds,
        'may not specify a duration less than 600 seconds (10 minutes)',
      ),
    );
  return errors;
}

const final = ['Approved', 'Denied', 'Failed'];
function validateConditions({ status }: CSR): string[] {
  const at = 'status.conditions';
  const errors: string[] = [];
  const seen = new Set<string>();
  for (const [i, c] of (status.conditions ?? []).entries()) {
    if (!c.type) errors.push(`${at}[${i}].type: Required value`);
    const allowed = final.includes(c.type) ? ['True'] : ['False', 'True', 'Unknown'];
    if (!c.status) errors.push(`${at}[${i}].status: Required value`);
    else if (!allowed.includes(c.status))
      errors.push(
        `${at}[${i}].status: Unsupported value: ${JSON.stringify(c.status)}: supported values: ${quoted(allowed)}`,
      );
    if ((c.type === 'Approved' && seen.has('Denied')) || (c.type === 'Denied' && seen.has('Approved')))
      errors.push(invalid(at, c.type, 'Approved and Denied conditions are mutually exclusive'));
    if (seen.has(c.type)) errors.push(`${at}[${i}].type: Duplicate value: ${JSON.stringify(c.type)}`);
    seen.add(c.type);
  }
  return errors;
}

/** The parts of the status that a write may change. */
interface Allowed {
  readonly approval?: true;
  readonly certificate?: true;
}
/** upstream: validateCertificateSigningRequestUpdate */
function validateStatus(draft: ApiObject, before: ApiObject, env: Env, allowed: Allowed): string[] {
  const [next, old] = [asCSR(draft), asCSR(before)];
  const at = 'status.conditions';
  const errors = validateConditions(next);
  const { certificate } = next.status;
  if (certificate && certificate !== old.status.certificate)
    try {
      checkCertificates(base64Decode(certificate), env);
    } catch (error) {
      errors.push(invalid('status.certificate', '<certificate data>', (error as Error).message));
    }
  const of = (csr: CSR, type: string) => csr.status.conditions?.filter((c) => c.type === type) ?? [];
  for (const type of final) {
    if (of(next, type).length < of(old, type).length)
      errors.push(`${at}: Forbidden: updates may not remove a condition of type ${JSON.stringify(type)}`);
    else if (type === 'Failed' || allowed.approval) continue;
    else if (of(next, type).length > of(old, type).length)
      errors.push(`${at}: Forbidden: updates may not add a condition of type ${JSON.stringify(type)}`);
    else if (!equalJSON(of(next, type), of(old, type)))
      errors.push(`${at}: Forbidden: updates may not modify a condition of type ${JSON.stringify(type)}`);
  }
  if ((certificate ?? '') !== (old.status.certificate ?? '')) {
    if (!allowed.certificate) errors.push('status.certificate: Forbidden: updates may not set certificate content');
    else if (old.status.certificate)
      errors.push('status.certificate: Forbidden: updates may not modify existing certificate content');
  }
  return errors;
}
/** upstream: validateCertificate */
function checkCertificates(pem: string, env: Env): void {
  const labels = [...pem.matchAll(/-----BEGIN ([A-Z0-9 ]*)-----/g)].map((m) => m[1] as string);
  if (labels.length === 0) throw new Error('must contain at least one CERTIFICATE PEM block');
  const other = labels.find((l) => l !== 'CERTIFICATE');
  if (other !== undefined) throw new Error(`only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(other)}`);
  env.certificates?.checkCertificates(pem);
}

function setTimes({ status }: CSR, old: CSR, now: string): void {
  const keyOf = (c: CSRCondition) => JSON.stringify([c.type, c.status]);
  const before = new Map((old.status.conditions ?? []).map((c) => [keyOf(c), c.lastTransitionTime]));
  for (const c of status.conditions ?? []) {
    c.lastUpdateTime ||= now;
    c.lastTransitionTime ||= before.get(keyOf(c)) || now;
  }
}

const status: Subresource = {
  verbs: ['get', 'patch', 'update'],
  prepareForUpdate(draft, before, env) {
    const [next, old] = [asCSR(draft), asCSR(before)];
    next.spec = copyJSON(old.spec);
    next.status ??= {};
    for (const type of ['Approved', 'Denied']) {
      const kept = (old.status.conditions ?? []).filter((c) => c.type === type);
      const conditions = next.status.conditions ?? [];
      if (conditions.filter((c) => c.type === type).length === kept.length)
        next.status.conditions = conditions.map((c) => (c.type === type ? copyJSON(kept.shift() as typeof c) : c));
    }
    setTimes(next, old, env.now);
  },
  validateUpdate: (draft, old, env) => validateStatus(draft, old, env, { certificate: true }),
};
const approval: Subresource = {
  verbs: ['get', 'patch', 'update'],
  prepareForUpdate(draft, before, env) {
    const [next, old] = [asCSR(draft), asCSR(before)];
    next.status ??= {};
    setTimes(next, old, env.now);
    const { conditions } = next.status;
    next.spec = copyJSON(old.spec);
    next.status = { ...copyJSON(old.status), ...(conditions && { conditions }) };
    if (!conditions) delete next.status.conditions;
  },
  validateUpdate: (draft, old, env) => validateStatus(draft, old, env, { approval: true }),
};

const conditionText = (csr: CSR): string =>
  [
    hasCondition(csr, 'Denied') ? 'Denied' : hasCondition(csr, 'Approved') ? 'Approved' : 'Pending',
    ...(hasCondition(csr, 'Failed') ? ['Failed'] : []),
    ...(csr.status?.certificate ? ['Issued'] : []),
  ].join(',');

export const certificateSigningRequests: Resource = {
  group: 'certificates.k8s.io',
  version: 'v1',
  resource: 'certificatesigningrequests',
  singular: 'certificatesigningrequest',
  kind: 'CertificateSigningRequest',
  shortNames: ['csr'],
  namespaced: false,
  verbs: allVerbs,
  type: certificateSigningRequest,
  nameRule: isPathSegment,
  strategy: {
    prepareForCreate(draft, { user }) {
      const { request, signerName, expirationSeconds, usages } = asCSR(draft).spec;
      draft.spec = {
        request,
        signerName,
        ...(expirationSeconds !== undefined && { expirationSeconds }),
        ...(usages && { usages }),
        username: user.name,
        ...(user.uid && { uid: user.uid }),
        ...(user.groups.length > 0 && { groups: [...user.groups] }),
        ...(user.extra && Object.keys(user.extra).length > 0 && { extra: copyJSON(user.extra) }),
      };
      draft.status = {};
    },
    prepareForUpdate(draft, old) {
      draft.spec = copyJSON(old.spec);
      draft.status = copyJSON(old.status);
    },
    validate: validateNew,
  },
  subresources: { status, approval },
  fields: { 'spec.signerName': (o) => asCSR(o).spec.signerName },
  table: {
    columns: [
      name,
      age,
      col('SignerName', 'The signer that is asked to sign it.'),
      col('Requestor', 'Who asked for it.'),
      col('RequestedDuration', 'How long the certificate should be valid.'),
      col('Condition', 'The state of the request.'),
    ],
    cells(o, now) {
      const csr = asCSR(o);
      const { expirationSeconds: seconds, signerName, username } = csr.spec;
      return [
        o.metadata.name,
        ageOf(o, now),
        signerName || '<none>',
        username ?? '',
        seconds === undefined ? '<none>' : humanDuration(seconds * 1000),
        conditionText(csr),
      ];
    },
  },
};

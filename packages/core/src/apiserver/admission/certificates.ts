import { asCSR, clientSigner, readRequest } from '../certificates/request.js';
import { equalJSON } from '../json.js';
import type { Env } from '../registry/resource.js';
import { forbidden } from '../status.js';
import type { AdmissionPlugin, AdmissionRequest } from './index.js';

const isCSR = ({ resource }: AdmissionRequest) =>
  resource.group === 'certificates.k8s.io' && resource.resource === 'certificatesigningrequests';

/** upstream: pkg/certauthorization IsAuthorizedForSignerName */
function mayForSigner(env: Env, verb: string, signerName: string): boolean {
  const ask = (name: string) =>
    env.authorize({
      user: env.user,
      verb,
      resourceRequest: true,
      group: 'certificates.k8s.io',
      version: '*',
      resource: 'signers',
      subresource: '',
      namespace: '',
      name,
      path: '',
    }).allowed;
  return ask(signerName) || ask(`${signerName.split('/')[0]}/*`);
}

/** upstream: plugin/pkg/admission/certificates/approval */
export const certificateApproval: AdmissionPlugin = {
  validate(a) {
    if (!isCSR(a) || a.subresource !== 'approval' || !a.old) return;
    const { signerName } = asCSR(a.old).spec;
    if (!mayForSigner(a.env, 'approve', signerName))
      throw forbidden(
        a.resource,
        a.name,
        `user not permitted to approve requests with signerName ${JSON.stringify(signerName)}`,
      );
  },
};

/** upstream: plugin/pkg/admission/certificates/signing */
export const certificateSigning: AdmissionPlugin = {
  validate(a) {
    if (!isCSR(a) || a.subresource !== 'status' || !a.old || !a.object) return;
    const [old, next] = [asCSR(a.old), asCSR(a.object)];
    const { signerName } = old.spec;
    if (equalJSON(old.status, next.status) || mayForSigner(a.env, 'sign', signerName)) return;
    throw forbidden(
      a.resource,
      a.name,
      `user not permitted to sign requests with signerName ${JSON.stringify(signerName)}`,
    );
  },
};

/** upstream: plugin/pkg/admission/certificates/subjectrestriction */
export const certificateSubjectRestriction: AdmissionPlugin = {
  validate(a) {
    if (!isCSR(a) || a.subresource !== '' || a.operation !== 'CREATE' || !a.object) return;
    const csr = asCSR(a.object);
    if (csr.spec.signerName !== clientSigner) return;
    if (readRequest(csr, a.env.certificates)?.organizations.includes('system:masters'))
      throw forbidden(a.resource, a.name, `use of ${clientSigner} signer with system:masters group is not allowed`);
  },
};

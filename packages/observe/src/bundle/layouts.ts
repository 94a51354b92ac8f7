/** The layouts of bundles that collectors make, as data: how each is recognised, and where its nodes' files are. */
import type { Role } from './types.js';

export interface Layout {
  readonly kind: string;
  /** Each is the path of a file in it. */
  readonly marks: readonly RegExp[];
  /** Files of nodes; the group `node` names the node. The first that fits counts. */
  readonly files: readonly (readonly [Role, RegExp])[];
  /** Finds the name of the only node in any path, if the files' own paths do not name it. */
  readonly node?: RegExp;
}

const N = '(?<node>[^/]+)';
const at = (pattern: string) => new RegExp(`(?:^|/)${pattern}$`);

/** In the order in which they are tried: the stricter first. */
export const LAYOUTS: readonly Layout[] = [
  {
    // sigs.k8s.io/kind pkg/cluster/internal/providers/common
    kind: 'kind export logs',
    marks: [at('[^/]+/kubelet\\.log'), at('(?:[^/]+/journal\\.log|kind-version\\.txt)')],
    files: [
      ['kubelet', at(`${N}/kubelet\\.log`)],
      ['journal', at(`${N}/journal\\.log`)],
      ['runtime', at(`${N}/containerd\\.log`)],
    ],
  },
  {
    // github.com/siderolabs/talos pkg/machinery and cmd/talosctl support
    kind: 'talosctl support',
    marks: [at('[^/]+/kubelet\\.log'), at('[^/]+/(?:machined|apid|trustd|controller-runtime|dmesg)\\.log')],
    files: [
      ['kubelet', at(`${N}/kubelet\\.log`)],
      ['runtime', at(`${N}/(?:cri|containerd)\\.log`)],
      ['kernel', at(`${N}/dmesg\\.log`)],
    ],
  },
  {
    // github.com/awslabs/amazon-eks-ami log-collector-script
    kind: 'EKS log collector',
    marks: [at('kubelet/kubelet\\.log'), at('(?:system|kernel|networking|ipamd|containerd|docker|storage)/[^/]+')],
    node: /(?:^|\/)(?:eks_)?(i-[0-9a-f]{8,17})(?:_|\/|$)/,
    files: [
      ['kubelet', at('kubelet/kubelet\\.log')],
      ['runtime', at('containerd/containerd-log\\.txt')],
      ['kernel', at('kernel/dmesg\\.human\\.current')],
    ],
  },
  {
    // github.com/openshift/must-gather collection-scripts
    kind: 'must-gather',
    marks: [at('(?:nodes/[^/]+/[^/]+_logs_kubelet(?:\\.log)?|host_service_logs/[^/]+/kubelet_service\\.log)')],
    files: [
      ['kubelet', at(`nodes/${N}/[^/]+_logs_kubelet(?:\\.log)?`)],
      ['runtime', at(`nodes/${N}/[^/]+_logs_crio(?:\\.log)?`)],
      ['kubelet', at('host_service_logs/[^/]+/kubelet_service\\.log')],
      ['runtime', at('host_service_logs/[^/]+/crio_service\\.log')],
    ],
  },
  {
    // github.com/sosreport/sos sos/report/plugins
    kind: 'sosreport',
    marks: [at('sos_commands/.+')],
    node: /(?:^|\/)sosreport-(.+?)(?:-\d{4,})?-\d{4}-\d\d-\d\d-[a-z]+(?:\/|$)/,
    files: [
      [
        'kubelet',
        at('sos_commands/[^/]+/journalctl_.*(?:kubelet|atomic-openshift-node|origin-node|k3s|rke2-\\w+)[^/]*'),
      ],
      ['runtime', at('sos_commands/[^/]+/journalctl_.*(?:crio|containerd|docker)[^/]*')],
      ['journal', at('sos_commands/logs/journalctl_--no-pager(?:_--catalog)?(?:_--boot)?')],
      ['kernel', at('sos_commands/kernel/dmesg(?:_-T)?')],
    ],
  },
  {
    // github.com/rancherlabs/support-tools collection/rancher/v2.x/logs-collector
    kind: 'Rancher logs collector',
    marks: [at('journald/(?:k3s|k3s-agent|rke2-server|rke2-agent|kubelet|docker|containerd)')],
    node: /(?:^|\/)([^/]+?)-\d{4}-\d\d-\d\d_\d\d[_:]\d\d[_:]\d\d(?:\/|$)/,
    files: [
      ['kubelet', at('journald/(?:k3s|k3s-agent|rke2-server|rke2-agent|kubelet)')],
      ['kubelet', at('(?:rke2|k3s)/agent-logs/kubelet\\.log')],
      ['kubelet', at('k8s/containerlogs/kubelet')],
      ['kubelet', at('rke/containerlogs/kubelet')],
      ['runtime', at('journald/(?:docker|containerd)')],
      ['kernel', at('systeminfo/dmesg')],
    ],
  },
  {
    // github.com/openshift/release, kubernetes/test-infra: artifacts of Prow, with cluster-api's of machines.
    kind: 'Prow artifacts',
    marks: [at('(?:nodes|machines|artifacts)/[^/]+/(?:kubelet\\.log|journal(?:\\.log)?)')],
    files: [
      ['kubelet', at(`(?:nodes|machines|artifacts)/${N}/kubelet\\.log`)],
      ['journal', at(`(?:nodes|machines|artifacts)/${N}/journal(?:\\.log)?`)],
      ['runtime', at(`(?:nodes|machines|artifacts)/${N}/(?:containerd|crio|docker)\\.log`)],
      ['kernel', at(`(?:nodes|machines|artifacts)/${N}/(?:kern|serial-1|kernel)\\.log`)],
    ],
  },
];

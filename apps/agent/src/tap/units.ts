/** The systemd units of a tap. systemd keeps its socket: while the tap is away, clients wait for it. */

export interface TapUnits {
  /** The command that starts the program: `/usr/local/bin/syncloop`. */
  readonly program: string;
  /** Paths of sockets. */
  readonly listen: string;
  readonly target: string;
  readonly evidence: string;
}

export const unitNames = { socket: 'syncloop-tap.socket', service: 'syncloop-tap.service' } as const;

export function tapUnits({ program, listen, target, evidence }: TapUnits): { socket: string; service: string } {
  return {
    socket: `# The socket of the tap, which systemd keeps while the tap is started again. Install: syncloop tap install.
[Unit]
Description=syncloop tap between the kubelet and its container runtime, socket
Before=kubelet.service

[Socket]
ListenStream=${listen}
SocketUser=root
SocketMode=0600
DirectoryMode=0700

[Install]
WantedBy=sockets.target
`,
    service: `# A byte pipe between the kubelet and the container runtime, and a decoder of a copy. Install: syncloop tap install.
[Unit]
Description=syncloop tap between the kubelet and its container runtime
Requires=${unitNames.socket}
After=${unitNames.socket}
# The kubelet's only way to the runtime: never given up.
StartLimitIntervalSec=0

[Service]
Type=simple
ExecStart=${program} tap --endpoint unix://${target} --evidence unix://${evidence}
Restart=always
RestartSec=100ms
TimeoutStopSec=5
OOMScoreAdjust=-999
CPUWeight=1000
MemoryMax=512M
TasksMax=64

# It needs two sockets and its own code.
NoNewPrivileges=true
UMask=0077
CapabilityBoundingSet=CAP_DAC_OVERRIDE CAP_SYS_NICE
ProtectSystem=strict
ReadWritePaths=/run
ProtectHome=read-only
PrivateDevices=true
PrivateNetwork=true
ProtectKernelTunables=true
ProtectKernelModules=true
ProtectKernelLogs=true
ProtectControlGroups=true
ProtectClock=true
ProtectHostname=true
RestrictAddressFamilies=AF_UNIX
RestrictNamespaces=true
RestrictRealtime=true
RestrictSUIDSGID=true
LockPersonality=true
KeyringMode=private
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
`,
  };
}

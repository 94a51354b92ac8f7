/** The limits for a plug-in, or a client of one of these sockets. Whoever can connect is root on this node already. */
export const limits = {
  /** Bytes of a message from a plug-in. upstream: grpc-go's defaultClientMaxReceiveMessageSize */
  messageBytes: 4 * 1024 * 1024,
  /** Fields of one message, with those of all messages in it: 4 MiB can hold two million empty devices. */
  messageFields: 1_000_000,
  /** Messages of a stream that wait for the kubelet before the plug-in has to wait. */
  streamMessages: 2,
  /** Bytes of a request to one of our servers: a few names. */
  requestBytes: 64 * 1024,
  /** Most connections of one server at a time; the next one is closed at once. */
  connections: 128,
  /** Most calls of one connection at a time. */
  streams: 100,
  /** Registrations that wait for the kubelet. */
  registrations: 64,
  /** Sockets below a watched folder, and folders; further ones are not seen. */
  sockets: 1024,
  folders: 256,
  /** Entries of a watched folder that are looked at. */
  entries: 10_000,
} as const;

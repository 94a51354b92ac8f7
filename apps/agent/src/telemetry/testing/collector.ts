/** A collector in this process, over HTTP and over gRPC. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server, ServerCredentials, type ServiceError, status } from '@grpc/grpc-js';
import type { ExportTraceServiceRequest } from '@syncloop/core/trace';
import { onTestFinished } from 'vitest';
import { decodeRequest, encodeResponse } from './official.js';

export interface Collector {
  readonly endpoint: string;
  readonly requests: ExportTraceServiceRequest[];
  readonly seen: { path: string; headers: IncomingHttpHeaders }[];
}

/** An answer other than "taken"; 'never': none at all. */
export type Answer =
  | { status: number; headers?: Record<string, string> }
  | { rejected: number; message: string }
  | 'never';

/** `answer` is asked for each request in turn; undefined: taken. */
export async function httpCollector(answer: (nth: number) => Answer | undefined = () => undefined): Promise<Collector> {
  const requests: ExportTraceServiceRequest[] = [];
  const seen: Collector['seen'] = [];
  let nth = 0;
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen.push({ path: `${request.method} ${request.url}`, headers: request.headers });
      const how = answer(nth++);
      if (how === 'never') return;
      if (how && 'status' in how) {
        response.writeHead(how.status, how.headers).end('<html>no</html>');
        return;
      }
      requests.push(decodeRequest(Buffer.concat(chunks)));
      response.writeHead(200, { 'content-type': 'application/x-protobuf' });
      response.end(encodeResponse(how?.rejected, how?.message));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, seen };
}

/** `answer` gives a status code of gRPC, or nothing for "taken". */
export async function grpcCollector(answer: (nth: number) => number | undefined = () => undefined): Promise<Collector> {
  const requests: ExportTraceServiceRequest[] = [];
  const seen: Collector['seen'] = [];
  let nth = 0;
  const server = new Server();
  const path = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
  const definition = {
    path,
    requestStream: false,
    responseStream: false,
    requestSerialize: (b: Buffer) => b,
    requestDeserialize: (b: Buffer) => b,
    responseSerialize: (b: Buffer) => b,
    responseDeserialize: (b: Buffer) => b,
  } as const;
  server.addService(
    { export: definition },
    {
      export: (
        call: { request: Buffer; metadata: { getMap(): Record<string, unknown> } },
        done: (err: Partial<ServiceError> | null, answer?: Buffer) => void,
      ) => {
        seen.push({ path, headers: call.metadata.getMap() as IncomingHttpHeaders });
        const code = answer(nth++);
        if (code !== undefined) return done({ code, details: `${status[code]} it is` });
        requests.push(decodeRequest(call.request));
        done(null, Buffer.from(encodeResponse()));
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (err, p) => (err ? reject(err) : resolve(p))),
  );
  onTestFinished(() => server.forceShutdown());
  return { endpoint: `127.0.0.1:${port}`, requests, seen };
}

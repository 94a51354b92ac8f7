/** Databases of the well-known images: they listen, and refuse to start without what their image asks for. */
import type { Go } from '../../kernel/index.js';
import type { Proc } from '../process/process.js';
import type { Program, World } from '../process/world.js';
import { formatDate } from './date.js';
import { server } from './programs-servers.js';

const listens = (port: number, startTime: number, stopTime: number, greeting: (now: number) => string): Program =>
  server({
    stops: { INT: 0, TERM: 0 },
    stopTime,
    startTime,
    listeners: () => [{ port, http: null, connected: () => {} }],
    greeting: (_p, w) => greeting(w.nowMillis()),
  });

const isSet = (proc: Proc, ...names: readonly string[]): boolean =>
  names.some((n) => (proc.env.get(n) ?? '') !== '' || (proc.env.get(`${n}_FILE`) ?? '') !== '');
const hasFiles = (world: World, folder: string): boolean =>
  world.fs.lookup(folder)?.kind === 'dir' && world.fs.list(folder).length > 0;

/** The image's own entrypoint does not make a new database without a password for it. */
function* postgres(proc: Proc, world: World, args: readonly string[]): Go<number> {
  const data = proc.env.get('PGDATA') ?? '/var/lib/postgresql/data';
  if (
    !isSet(proc, 'POSTGRES_PASSWORD') &&
    proc.env.get('POSTGRES_HOST_AUTH_METHOD') !== 'trust' &&
    world.fs.lookup(`${data}/PG_VERSION`) === null
  ) {
    proc.warn(
      'Error: Database is uninitialized and superuser password is not specified.\n' +
        '       You must specify POSTGRES_PASSWORD to a non-empty value for the\n' +
        '       superuser. For example, "-e POSTGRES_PASSWORD=password" on "docker run".\n',
    );
    return 1;
  }
  return yield* listens(
    5432,
    900_000,
    150_000,
    () => 'LOG:  database system is ready to accept connections\n',
  )(proc, world, args);
}

/** mysqld and mariadbd, whose entrypoints ask for a root password, or that there be none. */
function mysqld(prefix: 'MYSQL' | 'MARIADB', tool: string): Program {
  const names = ['ROOT_PASSWORD', 'ALLOW_EMPTY_PASSWORD', 'RANDOM_ROOT_PASSWORD'];
  const wanted = [...names.map((n) => `MYSQL_${n}`), ...(prefix === 'MARIADB' ? names.map((n) => `MARIADB_${n}`) : [])];
  return function* (proc, world, args) {
    if (!isSet(proc, ...wanted, 'MARIADB_ALLOW_EMPTY_ROOT_PASSWORD') && !hasFiles(world, '/var/lib/mysql')) {
      proc.warn(
        `${formatDate(world.nowMillis(), '%F %T')}+00:00 [ERROR] [Entrypoint]: Database is uninitialized and password option is not specified\n` +
          `    You need to specify one of the following as an environment variable:\n` +
          names.map((n) => `    - ${prefix}_${n}\n`).join(''),
      );
      return 1;
    }
    return yield* listens(
      3306,
      2_000_000,
      300_000,
      (now) => `${formatDate(now, '%FT%T')}.000000Z 0 [System] ${tool}: ready for connections. port: 3306\n`,
    )(proc, world, args);
  };
}
const mysql = mysqld('MYSQL', 'mysqld');
const mariadb = mysqld('MARIADB', 'mariadbd');

/** A client that asks whether the server is up. */
const asks = (port: number, yes: string, no: string, code: number): Program =>
  function* (proc, world) {
    const up = world.net.at(port) !== null;
    if (up) proc.write(yes);
    else proc.warn(no);
    return up ? 0 : code;
  };
const admin = asks(3306, 'mysqld is alive\n', "mysqladmin: connect to server at 'localhost' failed\n", 1);

export const databasePrograms: Readonly<Record<string, Program>> = {
  postgres,
  pg_isready: function* (proc, world) {
    const up = world.net.at(5432) !== null;
    proc.write(`/var/run/postgresql:5432 - ${up ? 'accepting connections' : 'no response'}\n`);
    return up ? 0 : 2;
  },
  mysqld: mysql,
  mariadbd: mariadb,
  mysqladmin: admin,
  'mariadb-admin': admin,
  mysql: asks(3306, '', "ERROR 2002 (HY000): Can't connect to local MySQL server\n", 1),
  mongod: listens(27_017, 500_000, 100_000, () => '{"msg":"Waiting for connections","attr":{"port":27017}}\n'),
};

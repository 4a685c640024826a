export { dbosHost, type DbosHostOptions } from './dbos/dbos-host.ts';

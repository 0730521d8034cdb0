-- A process that has fallen silent may be stopped in the middle of a transaction and hold locks for as long as it sleeps.
-- Its connections are known by this name, so that whoever gives it up can end them.

alter table processes add column connection_name text;

//! The schema as the driver reads it.
use scylla::cluster::metadata::{ColumnKind, ColumnType, NativeType, Strategy};

use crate::server::{Outcome, drop_keyspace, keyspace, run};

#[tokio::test]
async fn metadata_is_what_was_created() -> Outcome {
    let session = keyspace("schema").await;
    run(&session, "CREATE TYPE addr (street text, zip int)").await;
    run(&session, "CREATE TABLE \"Mixed\" (\"P\" int, c1 timeuuid, c2 text, st text static, v list<int>, a frozen<addr>, PRIMARY KEY (\"P\", c1, c2))").await;
    run(&session, "CREATE TABLE base (p int, c int, v int, PRIMARY KEY (p, c))").await;
    run(&session, "CREATE MATERIALIZED VIEW by_c AS SELECT * FROM base WHERE p IS NOT NULL AND c IS NOT NULL PRIMARY KEY (c, p)").await;
    session.refresh_metadata().await?;
    let state = session.get_cluster_state();
    let keyspace = state.get_keyspace("rust_schema").unwrap();
    assert_eq!(keyspace.strategy, Strategy::SimpleStrategy { replication_factor: 1 });
    let table = &keyspace.tables["Mixed"];
    assert_eq!((table.partition_key.as_slice(), table.clustering_key.as_slice()), (&["P".to_string()][..], &["c1".to_string(), "c2".to_string()][..]));
    assert_eq!(table.columns.len(), 6);
    assert_eq!(table.columns["st"].kind, ColumnKind::Static);
    assert_eq!(table.columns["c1"].typ, ColumnType::Native(NativeType::Timeuuid));
    let ColumnType::UserDefinedType { frozen: true, ref definition } = table.columns["a"].typ else { panic!("{:?}", table.columns["a"].typ) };
    assert_eq!(definition.field_types.iter().map(|(name, _)| name.as_ref()).collect::<Vec<_>>(), ["street", "zip"]);
    assert_eq!(keyspace.views["by_c"].base_table_name, "base");
    drop_keyspace(&session, "schema").await;
    Ok(())
}

#[tokio::test]
async fn a_prepared_statement_tells_its_columns() -> Outcome {
    let session = keyspace("marks").await;
    run(&session, "CREATE TABLE t (p int, c text, v blob, PRIMARY KEY (p, c))").await;
    let select = session.prepare("SELECT v, c FROM t WHERE c = ? AND p = :key").await?;
    assert_eq!(select.get_variable_col_specs().iter().map(|spec| spec.name().to_string()).collect::<Vec<_>>(), ["c", "key"]);
    assert_eq!(select.get_variable_pk_indexes().iter().map(|index| index.index).collect::<Vec<_>>(), [1]);
    let all = session.prepare("SELECT * FROM t WHERE p = 1").await?;
    run(&session, "ALTER TABLE t ADD w int").await;
    let rows = session.execute_unpaged(&all, ()).await?.into_rows_result()?; // prepared again
    assert_eq!(rows.column_specs().iter().map(|spec| spec.name().to_string()).collect::<Vec<_>>(), ["p", "c", "v", "w"]);
    drop_keyspace(&session, "marks").await;
    Ok(())
}

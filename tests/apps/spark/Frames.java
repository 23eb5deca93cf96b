import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.max;

import com.datastax.spark.connector.japi.CassandraJavaUtil;
import com.datastax.spark.connector.japi.rdd.CassandraTableScanJavaRDD;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;

/** What people do with Cassandra's tables in Spark: SQL, frames, and the connector's own data sets. */
public class Frames {
    static final String KEYSPACE = "app_spark";
    static SparkSession spark;

    public static void main(String[] args) {
        spark = SparkSession.builder().master("local[2]").config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "2")
                .config("spark.cassandra.connection.host", args[0]).config("spark.cassandra.connection.port", args[1])
                .config("spark.sql.extensions", "com.datastax.spark.connector.CassandraSparkExtensions")
                .config("spark.sql.catalog.cass", "com.datastax.spark.connector.datasource.CassandraCatalog").getOrCreate();
        spark.sparkContext().setLogLevel("ERROR");
        makeTables();
        fill();
        read();
        join();
        write();
        alter();
        dataSets();
        sql("DROP TABLE cass.app_spark.users");
        sql("DROP DATABASE cass.app_spark CASCADE");
        spark.stop();
        System.out.println("all is well");
    }

    static Dataset<Row> sql(String text) {
        return spark.sql(text);
    }

    static Dataset<Row> table(String name) {
        return spark.read().format("org.apache.spark.sql.cassandra").option("keyspace", KEYSPACE).option("table", name).load();
    }

    static DataFrameWriter<Row> writer(Dataset<Row> frame, String table) {
        return frame.write().format("org.apache.spark.sql.cassandra").option("keyspace", KEYSPACE).option("table", table);
    }

    static void expect(Object expected, Object found) {
        if (!expected.toString().equals(found.toString()))
            throw new AssertionError("expected " + expected + ", found " + found);
    }

    static void expectRows(String expected, Dataset<Row> found) {
        List<String> rows = new ArrayList<>();
        for (Row row : found.collectAsList())
            rows.add(row.toString());
        Collections.sort(rows);
        expect(expected, rows);
    }

    static void makeTables() {
        sql("CREATE DATABASE cass.app_spark WITH DBPROPERTIES (class='SimpleStrategy', replication_factor='1')");
        sql("CREATE TABLE cass.app_spark.users (id INT, name STRING, age INT, tags ARRAY<STRING>, points MAP<STRING, INT>, since TIMESTAMP) "
            + "USING cassandra PARTITIONED BY (id)");
        sql("CREATE TABLE cass.app_spark.events (room STRING, at TIMESTAMP, n INT, body STRING) USING cassandra PARTITIONED BY (room) "
            + "TBLPROPERTIES (clustering_key='at.desc, n.asc', gc_grace_seconds='100')");
        expectRows("[[app_spark,events,false], [app_spark,users,false]]", sql("SHOW TABLES FROM cass.app_spark"));
        expectRows("[[Table Properties,at.DESC,n.ASC]]", sql("DESCRIBE TABLE EXTENDED cass.app_spark.events").filter("col_name = 'Table Properties'")
                .selectExpr("col_name", "regexp_extract(data_type, 'clustering_key=.([^\\\\]]*)', 1)"));
    }

    static void fill() {
        sql("INSERT INTO cass.app_spark.users SELECT id, concat('n', id) AS name, id % 50 AS age, array('a', CAST(id AS STRING)) AS tags, "
            + "map('k', id) AS points, timestamp'2024-01-01 00:00:00' AS since FROM (SELECT CAST(id AS INT) id FROM range(2000))");
        sql("INSERT INTO cass.app_spark.events SELECT concat('r', id % 10) AS room, timestamp'2024-01-01 00:00:00' + make_interval(0, 0, 0, 0, 0, 0, id) AS at, "
            + "id AS n, concat('b', id) AS body FROM (SELECT CAST(id AS INT) id FROM range(3000))");
        expect(2000, table("users").count());
        expect(3000, table("events").count());
    }

    static void read() {
        expectRows("[[7,7,n7,Map(k -> 7),2024-01-01 00:00:00.0,WrappedArray(a, 7)]]", table("users").filter("id = 7").select("id", "age", "name", "points", "since", "tags"));
        expectRows("[[1,n1], [2,n2]]", table("users").filter("id IN (1, 2, 99999)").select("id", "name"));
        expectRows("[[2981,b2981], [2991,b2991]]",
                   table("events").filter("room = 'r1' AND at > timestamp'2024-01-01 00:49:35'").select("n", "body"));
        expectRows("[[r0,300,2990], [r1,300,2991]]", table("events").groupBy("room").agg(count("n"), max("n")).filter("room < 'r2'"));
    }

    static void join() {
        expect(6, sql("SELECT u.id FROM cass.app_spark.users u JOIN cass.app_spark.events e ON u.id = e.n WHERE e.room = 'r3' AND u.age = 3 AND u.id < 300").count());
        Dataset<Row> ids = spark.range(3).selectExpr("CAST(id AS INT) AS wanted");
        expectRows("[[0,n0], [1,n1], [2,n2]]",
                   ids.join(table("users").hint("directJoin", "ON"), col("wanted").equalTo(col("id"))).select("wanted", "name"));
    }

    static void write() {
        writer(table("users").filter("id < 3"), "users").option("ttl", "1000").option("timestamp", "1900000000000000").mode(SaveMode.Append).save();
        expectRows("[[0,true], [1,true], [2,true], [3,null]]", table("users").selectExpr("id", "ttl(name) AS left").filter("id < 4").selectExpr("id", "left > 900"));
        writer(sql("SELECT 1 AS id, CAST(NULL AS STRING) AS name, 77 AS age"), "users").option("spark.cassandra.output.ignoreNulls", "true")
                .option("timestamp", String.valueOf(1900000000000001L)).mode(SaveMode.Append).save();
        expectRows("[[1,n1,77]]", table("users").filter("id = 1").select("id", "name", "age"));
        Dataset<Row> kept = spark.createDataFrame(table("events").limit(5).collectAsList(), table("events").schema());
        writer(kept, "events").option("confirm.truncate", "true").mode(SaveMode.Overwrite).save();
        expect(5, table("events").count());
    }

    static void alter() {
        sql("ALTER TABLE cass.app_spark.users ADD COLUMNS (extra STRING)");
        expect(7, table("users").columns().length);
        sql("ALTER TABLE cass.app_spark.users DROP COLUMNS (extra)");
        expect(6, table("users").columns().length);
        sql("ALTER TABLE cass.app_spark.users SET TBLPROPERTIES (gc_grace_seconds='22')");
    }

    static void dataSets() {
        CassandraTableScanJavaRDD<?> users = CassandraJavaUtil.javaFunctions(spark.sparkContext()).cassandraTable(KEYSPACE, "users");
        expect("[CassandraRow{id: 9, name: n9}]", users.select("id", "name").where("id = ?", 9).collect());
        expect(2000, users.cassandraCount());
        expect(2, users.where("id IN (1, 2)").count());
    }
}

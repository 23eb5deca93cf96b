import static com.scalar.db.api.ConditionBuilder.column;

import com.scalar.db.api.ConditionBuilder;
import com.scalar.db.api.Delete;
import com.scalar.db.api.DistributedStorage;
import com.scalar.db.api.DistributedTransaction;
import com.scalar.db.api.DistributedTransactionAdmin;
import com.scalar.db.api.DistributedTransactionManager;
import com.scalar.db.api.Get;
import com.scalar.db.api.Insert;
import com.scalar.db.api.MutationCondition;
import com.scalar.db.api.Put;
import com.scalar.db.api.Result;
import com.scalar.db.api.Scan;
import com.scalar.db.api.TableMetadata;
import com.scalar.db.api.Update;
import com.scalar.db.exception.storage.NoMutationException;
import com.scalar.db.exception.transaction.CommitConflictException;
import com.scalar.db.io.DataType;
import com.scalar.db.io.Key;
import com.scalar.db.service.StorageFactory;
import com.scalar.db.service.TransactionFactory;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/** Accounts and the transfers between them, by ScalarDB's transactions: each reads, writes several partitions, and is done whole or not at all. */
public class Bank {
    static final String KEYSPACE = "app_scalardb", ACCOUNTS = "accounts", TRANSFERS = "transfers";
    static final Map<String, String> ONE_REPLICA = Map.of("replication-factor", "1");
    static final int COUNT = 5, ROUNDS = 15, BEGINNING = 100;

    static void mustBe(String what, Object is, Object wanted) {
        if (!is.equals(wanted))
            throw new AssertionError(what + ": " + is + " and not " + wanted);
    }

    interface Action {
        void run() throws Exception;
    }

    static void mustFail(String what, Class<? extends Exception> with, Action action) throws Exception {
        try {
            action.run();
        } catch (Exception e) {
            mustBe(what, e.getClass(), with);
            return;
        }
        throw new AssertionError(what + " did not fail");
    }

    static Key id(int n) {
        return Key.ofInt("id", n);
    }

    static Get account(int n) {
        return Get.newBuilder().namespace(KEYSPACE).table(ACCOUNTS).partitionKey(id(n)).build();
    }

    static Update set(int n, long balance) {
        return Update.newBuilder().namespace(KEYSPACE).table(ACCOUNTS).partitionKey(id(n)).bigIntValue("balance", balance).build();
    }

    static Insert transfer(int from, long at, int amount) {
        return Insert.newBuilder().namespace(KEYSPACE).table(TRANSFERS).partitionKey(id(from)).clusteringKey(Key.of("at", at, "kind", "out"))
            .intValue("amount", amount).textValue("note", at % 2 == 0 ? "even" : null).build();
    }

    static void createTables(DistributedTransactionAdmin admin) throws Exception {
        admin.createCoordinatorTables(true, ONE_REPLICA);
        admin.createNamespace(KEYSPACE, true, ONE_REPLICA);
        admin.createTable(KEYSPACE, ACCOUNTS, TableMetadata.newBuilder().addPartitionKey("id").addColumn("id", DataType.INT)
            .addColumn("balance", DataType.BIGINT).addColumn("branch", DataType.TEXT).addColumn("closed", DataType.BOOLEAN)
            .addColumn("rate", DataType.DOUBLE).addColumn("risk", DataType.FLOAT).addColumn("seal", DataType.BLOB)
            .addSecondaryIndex("branch").build(), true, ONE_REPLICA);
        admin.createTable(KEYSPACE, TRANSFERS, TableMetadata.newBuilder().addPartitionKey("id").addColumn("id", DataType.INT)
            .addClusteringKey("at", Scan.Ordering.Order.DESC).addClusteringKey("kind", Scan.Ordering.Order.ASC)
            .addColumn("at", DataType.BIGINT).addColumn("kind", DataType.TEXT).addColumn("amount", DataType.INT).build(), true, ONE_REPLICA);
        admin.addNewColumnToTable(KEYSPACE, TRANSFERS, "note", DataType.TEXT);
        admin.createIndex(KEYSPACE, TRANSFERS, "note", ONE_REPLICA);
        TableMetadata transfers = admin.getTableMetadata(KEYSPACE, TRANSFERS);
        mustBe("tables", admin.getNamespaceTableNames(KEYSPACE), Set.of(ACCOUNTS, TRANSFERS));
        mustBe("the order", transfers.getClusteringOrder("at"), Scan.Ordering.Order.DESC);
        mustBe("indexes", transfers.getSecondaryIndexNames(), Set.of("note"));
    }

    static void open(DistributedTransactionManager bank) throws Exception {
        DistributedTransaction t = bank.start();
        for (int n = 0; n < COUNT; n++)
            t.insert(Insert.newBuilder().namespace(KEYSPACE).table(ACCOUNTS).partitionKey(id(n)).bigIntValue("balance", BEGINNING)
                .textValue("branch", n % 2 == 0 ? "Süd" : "Nord").booleanValue("closed", false).doubleValue("rate", 0.125 * n)
                .floatValue("risk", n).blobValue("seal", new byte[] {0, (byte) -n}).build());
        t.commit();
    }

    /** Of two accounts' money one moves; nothing of it is there before the commit. */
    static DistributedTransaction beginTransfer(DistributedTransactionManager bank, int from, int to, long at) throws Exception {
        DistributedTransaction t = bank.start();
        long left = t.get(account(from)).get().getBigInt("balance"), there = t.get(account(to)).get().getBigInt("balance");
        t.update(set(from, left - 1));
        t.update(set(to, there + 1));
        t.insert(transfer(from, at, 1));
        return t;
    }

    /** Two tellers at a time, who both take from or give to the one in the middle: the second has to begin anew. */
    static void meet(DistributedTransactionManager bank, int round) throws Exception {
        int left = round % COUNT, middle = (round + 1) % COUNT, right = (round + 2) % COUNT;
        DistributedTransaction first = beginTransfer(bank, left, middle, 2L * round);
        DistributedTransaction second = beginTransfer(bank, middle, right, 2L * round + 1);
        first.commit();
        mustFail("the second teller", CommitConflictException.class, second::commit);
        beginTransfer(bank, middle, right, 2L * round + 1).commit();
    }

    static void abort(DistributedTransactionManager bank) throws Exception {
        DistributedTransaction t = beginTransfer(bank, 1, 2, 1000);
        t.abort();
    }

    /** What it has read was changed by another before it ended: not serializable, though it writes elsewhere. */
    static void readTooEarly(DistributedTransactionManager bank) throws Exception {
        DistributedTransaction reader = bank.start();
        long seen = reader.get(account(1)).get().getBigInt("balance"), own = reader.get(account(3)).get().getBigInt("balance");
        DistributedTransaction writer = bank.start();
        writer.get(account(1));
        writer.update(set(1, seen));
        writer.commit();
        reader.update(set(3, own + seen));
        mustFail("the reader", CommitConflictException.class, reader::commit);
    }

    static void look(DistributedTransactionManager bank) throws Exception {
        DistributedTransaction t = bank.start();
        long sum = 0;
        for (Result r : t.scan(Scan.newBuilder().namespace(KEYSPACE).table(ACCOUNTS).all().projections("id", "balance").build()))
            sum += r.getBigInt("balance");
        mustBe("all money", sum, (long) COUNT * BEGINNING);
        int transfers = 0;
        for (int n = 0; n < COUNT; n++)
            transfers += t.scan(Scan.newBuilder().namespace(KEYSPACE).table(TRANSFERS).partitionKey(id(n)).build()).size();
        mustBe("transfers", transfers, 2 * ROUNDS);
        List<Result> some = t.scan(Scan.newBuilder().namespace(KEYSPACE).table(TRANSFERS).partitionKey(id(0)).start(Key.ofBigInt("at", 0L))
            .end(Key.ofBigInt("at", 30L), false).ordering(Scan.Ordering.asc("at")).ordering(Scan.Ordering.desc("kind")).limit(3).build());
        mustBe("the first three", some.stream().map(r -> r.getBigInt("at") + r.getText("kind")).toList(), List.of("0out", "9out", "10out"));
        mustBe("a branch", t.scan(Scan.newBuilder().namespace(KEYSPACE).table(ACCOUNTS).indexKey(Key.ofText("branch", "Nord")).build())
            .stream().map(r -> r.getInt("id") + ": " + r.getDouble("rate") + " " + r.getFloat("risk") + " " + r.getBlobAsBytes("seal")[1]).sorted().toList(),
            List.of("1: 0.125 1.0 -1", "3: 0.375 3.0 -3"));
        t.delete(Delete.newBuilder().namespace(KEYSPACE).table(ACCOUNTS).partitionKey(id(4)).build());
        t.commit();
        t = bank.start();
        mustBe("the closed one", t.get(account(4)).isPresent(), false);
        t.commit();
    }

    static Put put(int n, MutationCondition condition) {
        return Put.newBuilder().namespace(KEYSPACE).table(ACCOUNTS).partitionKey(id(n)).bigIntValue("balance", 7L).condition(condition).build();
    }

    static Put putTransfer(long at) {
        return Put.newBuilder().namespace(KEYSPACE).table(TRANSFERS).partitionKey(id(60)).clusteringKey(Key.of("at", at, "kind", "in")).intValue("amount", 1)
            .condition(ConditionBuilder.putIfNotExists()).build();
    }

    static Delete delete(int n, MutationCondition condition) {
        return Delete.newBuilder().namespace(KEYSPACE).table(ACCOUNTS).partitionKey(id(n)).condition(condition).build();
    }

    /** What the transactions are made of. */
    static void writeOnConditions(DistributedStorage storage) throws Exception {
        storage.put(put(50, ConditionBuilder.putIfNotExists()));
        mustFail("once more", NoMutationException.class, () -> storage.put(put(50, ConditionBuilder.putIfNotExists())));
        mustFail("of what is not there", NoMutationException.class, () -> storage.put(put(51, ConditionBuilder.putIfExists())));
        storage.put(put(50, ConditionBuilder.putIf(column("balance").isLessThanBigInt(8L)).and(column("branch").isNullText()).build()));
        mustFail("of another", NoMutationException.class, () -> storage.put(put(50, ConditionBuilder.putIf(column("balance").isNotEqualToBigInt(7L)).build())));
        storage.mutate(List.of(putTransfer(1), putTransfer(2)));
        mustFail("of two the second", NoMutationException.class, () -> storage.mutate(List.of(putTransfer(3), putTransfer(2))));
        try (var all = storage.scan(Scan.newBuilder().namespace(KEYSPACE).table(TRANSFERS).partitionKey(id(60)).build())) {
            mustBe("neither of them", all.all().stream().map(r -> r.getBigInt("at")).toList(), List.of(2L, 1L));
        }
        mustFail("a removal", NoMutationException.class, () -> storage.delete(delete(50, ConditionBuilder.deleteIf(column("balance").isEqualToBigInt(9L)).build())));
        storage.delete(delete(50, ConditionBuilder.deleteIfExists()));
        mustBe("removed", storage.get(account(50)).isPresent(), false);
    }

    static void dropTables(DistributedTransactionAdmin admin) throws Exception {
        admin.dropIndex(KEYSPACE, TRANSFERS, "note");
        admin.truncateTable(KEYSPACE, ACCOUNTS);
        admin.dropTable(KEYSPACE, ACCOUNTS);
        admin.dropTable(KEYSPACE, TRANSFERS);
        admin.dropNamespace(KEYSPACE);
        admin.dropCoordinatorTables();
    }

    static void use(Properties properties) throws Exception {
        TransactionFactory transactions = TransactionFactory.create(properties);
        StorageFactory storages = StorageFactory.create(properties);
        DistributedTransactionAdmin admin = transactions.getTransactionAdmin();

        createTables(admin);
        DistributedTransactionManager bank = transactions.getTransactionManager(); /* knows what tables there are */
        open(bank);
        for (int round = 0; round < ROUNDS; round++)
            meet(bank, round);
        abort(bank);
        readTooEarly(bank);
        look(bank);
        writeOnConditions(storages.getStorage());
        dropTables(admin);
        System.out.println("all is well");
    }

    public static void main(String[] arguments) {
        Properties properties = new Properties();
        properties.setProperty("scalar.db.storage", "cassandra");
        properties.setProperty("scalar.db.contact_points", arguments[0]);
        properties.setProperty("scalar.db.contact_port", arguments[1]);
        properties.setProperty("scalar.db.username", "cassandra");
        properties.setProperty("scalar.db.password", "cassandra");
        properties.setProperty("scalar.db.consensus_commit.isolation_level", "SERIALIZABLE");
        properties.setProperty("scalar.db.consensus_commit.coordinator.namespace", "app_scalardb_coordinator");
        int status = 0;
        try {
            use(properties);
        } catch (Throwable t) {
            t.printStackTrace();
            status = 1;
        }
        System.exit(status); /* also where a thread of the driver still runs */
    }
}

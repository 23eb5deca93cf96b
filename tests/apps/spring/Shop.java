package shop;

import static org.springframework.data.cassandra.core.query.Criteria.where;
import static org.springframework.data.cassandra.core.query.Query.query;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.annotation.Version;
import org.springframework.data.cassandra.CassandraInvalidQueryException;
import org.springframework.data.cassandra.core.CassandraTemplate;
import org.springframework.data.cassandra.core.InsertOptions;
import org.springframework.data.cassandra.core.ReactiveCassandraTemplate;
import org.springframework.data.cassandra.core.UpdateOptions;
import org.springframework.data.cassandra.core.cql.Ordering;
import org.springframework.data.cassandra.core.cql.PrimaryKeyType;
import org.springframework.data.cassandra.core.mapping.Column;
import org.springframework.data.cassandra.core.mapping.Indexed;
import org.springframework.data.cassandra.core.mapping.PrimaryKey;
import org.springframework.data.cassandra.core.mapping.PrimaryKeyClass;
import org.springframework.data.cassandra.core.mapping.PrimaryKeyColumn;
import org.springframework.data.cassandra.core.mapping.SASI;
import org.springframework.data.cassandra.core.mapping.Table;
import org.springframework.data.cassandra.core.mapping.UserDefinedType;
import org.springframework.data.cassandra.core.query.CassandraPageRequest;
import org.springframework.data.cassandra.core.query.Update;
import org.springframework.data.cassandra.repository.AllowFiltering;
import org.springframework.data.cassandra.repository.CassandraRepository;
import org.springframework.data.cassandra.repository.Query;
import org.springframework.data.cassandra.repository.ReactiveCassandraRepository;
import org.springframework.data.cassandra.repository.config.EnableCassandraRepositories;
import org.springframework.data.cassandra.repository.config.EnableReactiveCassandraRepositories;
import org.springframework.data.domain.Pageable;
import org.springframework.data.domain.Slice;
import reactor.core.publisher.Flux;

/** Customers and orders by Spring Data's repositories and templates; the schema is made of the classes below when the application starts. */
@SpringBootApplication
@EnableCassandraRepositories(considerNestedRepositories = true)
@EnableReactiveCassandraRepositories(considerNestedRepositories = true)
public class Shop {
    @UserDefinedType("address")
    public record Address(String street, Integer zip) {}

    @Table("customers")
    public record Customer(@PrimaryKey UUID id, @Indexed String city, @SASI(indexMode = SASI.IndexMode.CONTAINS) String name, Address address,
                           List<Address> others, Map<String, Integer> points, Set<String> tags, Instant since, @Version Long version) {}

    @PrimaryKeyClass
    public record OrderKey(@PrimaryKeyColumn(name = "customer", ordinal = 0, type = PrimaryKeyType.PARTITIONED) UUID customer,
                           @PrimaryKeyColumn(name = "number", ordinal = 1, type = PrimaryKeyType.CLUSTERED, ordering = Ordering.DESCENDING) int number) {}

    @Table("orders")
    public record Order(@PrimaryKey OrderKey key, double amount, @Column(value = "owner", isStatic = true) String owner) {}

    public interface Customers extends CassandraRepository<Customer, UUID> {
        List<Customer> findByCity(String city);
        List<Customer> findByNameContaining(String part);
        List<Customer> findByTagsContaining(String tag);
        @AllowFiltering boolean existsByAddress(Address address);
        @Query("UPDATE customers SET city = ?1 WHERE id = ?0 IF EXISTS") boolean move(UUID id, String city);
    }

    public interface Orders extends CassandraRepository<Order, OrderKey> {
        Slice<Order> findByKeyCustomer(UUID customer, Pageable page);
        List<Order> findByKeyCustomerAndKeyNumberBetween(UUID customer, int low, int high);
        void deleteByKeyCustomer(UUID customer);
    }

    public interface Later extends ReactiveCassandraRepository<Order, OrderKey> {
        Flux<Order> findByKeyCustomer(UUID customer);
    }

    interface Act { void run(); }

    static void check(Object expected, Object found) {
        if (!expected.equals(found))
            throw new AssertionError("expected " + expected + ", found " + found);
    }

    static void refused(Class<? extends Exception> why, Act act) {
        try {
            act.run();
        } catch (Exception e) {
            check(why, e.getClass());
            return;
        }
        throw new AssertionError("no " + why);
    }

    static UUID id(int i) {
        return new UUID(0, i);
    }

    static Customer customer(int i) {
        Address address = new Address("street " + i, i % 2 == 0 ? i : null);
        return new Customer(id(i), "city" + i % 3, "Name " + i, address, List.of(address, new Address(null, 0)), Map.of("a", i), Set.of("t" + i), Instant.ofEpochMilli(i), null);
    }

    public static void main(String[] args) {
        try (ConfigurableApplicationContext context = SpringApplication.run(Shop.class, args)) {
            customers(context.getBean(Customers.class));
            orders(context.getBean(Orders.class), context.getBean(Later.class), context.getBean(ReactiveCassandraTemplate.class));
            templates(context.getBean(CassandraTemplate.class));
        }
        System.out.println("all is well");
    }

    static void customers(Customers customers) {
        for (int i = 0; i < 30; i++)
            check(0L, customers.save(customer(i)).version());
        Customer one = customers.findById(id(1)).orElseThrow();
        check(customer(1).others(), one.others());
        check(1L, customers.save(one).version());
        refused(OptimisticLockingFailureException.class, () -> customers.save(one)); // somebody else has saved it since
        refused(OptimisticLockingFailureException.class, () -> customers.insert(customer(1)));
        check(10, customers.findByCity("city1").size());
        check(11, customers.findByNameContaining("me 2").size());
        refused(CassandraInvalidQueryException.class, () -> customers.findByTagsContaining("t1")); // wants ALLOW FILTERING
        check(true, customers.existsByAddress(new Address("street 3", null)));
        check(true, customers.move(id(2), "elsewhere"));
        check(false, customers.move(id(99), "elsewhere"));
        check(30L, customers.count());
        check(2, customers.findAllById(List.of(id(3), id(4), id(99))).size());
    }

    static void orders(Orders orders, Later later, ReactiveCassandraTemplate reactive) {
        List<Order> made = new ArrayList<>();
        for (int i = 0; i < 25; i++)
            made.add(new Order(new OrderKey(id(1), i), i, "owner " + i));
        orders.saveAll(made);
        int seen = 0;
        Pageable page = CassandraPageRequest.first(10);
        for (boolean more = true; more;) {
            Slice<Order> slice = orders.findByKeyCustomer(id(1), page);
            for (Order order : slice)
                check(new Order(new OrderKey(id(1), 24 - seen), 24 - seen++, "owner 24"), order);
            more = slice.hasNext();
            page = more ? slice.nextPageable() : null;
        }
        check(25, seen);
        check(7, orders.findByKeyCustomerAndKeyNumberBetween(id(1), 3, 11).size()); // between them
        check(300L, later.findByKeyCustomer(id(1)).collectList().block().stream().mapToLong(order -> (long) order.amount()).sum());
        check(200L, Flux.range(0, 200).flatMap(i -> reactive.insert(new Order(new OrderKey(id(2), i), i, null)), 32).count().block());
        check(200L, reactive.count(query(where("customer").is(id(2))), Order.class).block());
        orders.deleteByKeyCustomer(id(2));
        check(25L, orders.count());
    }

    static void templates(CassandraTemplate template) {
        check(false, template.insert(new Order(new OrderKey(id(1), 3), 7, null), InsertOptions.builder().withIfNotExists().build()).wasApplied());
        check(true, template.insert(new Order(new OrderKey(id(5), 3), 7, null), InsertOptions.builder().ttl(1000).timestamp(5).build()).wasApplied());
        check(Map.of("w", 5L), template.getCqlOperations().queryForMap("SELECT writetime(amount) AS w FROM orders WHERE customer = ? AND number = 3", id(5)));
        UpdateOptions was = UpdateOptions.builder().ifCondition(where("amount").is(7.0)).build();
        check(true, template.update(new Order(new OrderKey(id(5), 3), 8, null), was).wasApplied());
        check(false, template.update(new Order(new OrderKey(id(5), 3), 9, null), was).wasApplied());
        template.update(query(where("id").is(id(4))), Update.empty().addTo("tags").append("more").set("points").atKey("b").to(9).remove("others", new Address(null, 0)), Customer.class);
        Customer changed = template.selectOneById(id(4), Customer.class);
        check(Set.of("t4", "more"), changed.tags());
        check(Map.of("a", 4, "b", 9), changed.points());
        check(1, changed.others().size());
        check(true, template.batchOps().insert(new Order(new OrderKey(id(6), 1), 1, null)).delete(new Order(new OrderKey(id(5), 3), 0, null)).execute().wasApplied());
        check(1L, template.count(query(where("customer").in(id(5), id(6))).withAllowFiltering(), Order.class));
    }
}
